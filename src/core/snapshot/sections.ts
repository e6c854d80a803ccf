/**
 * The sections of a snapshot, in the order of the file. Each structure has one section. A country section holds one
 * slice for each country with data, in order of the country's code; a world section is a single slice. A new structure
 * takes a name here, its layout in this folder, and files of the same name in the builder and the store. (The sections
 * `place-answers` and `country-answers` are the structures rendered-places and rendered-countries.)
 */

/** Alignment of sections in bytes: a memory page, so that a section can be mapped or read ahead separately. */
export const PAGE_BYTES = 4096;

/** Alignment of slices in bytes from their section's start: a cache line. */
export const SLICE_ALIGNMENT = 64;

/** The structures of a country. `place-answers` comes first: it is the largest section, and the builder streams it. */
export const COUNTRY_SECTIONS = [
  'place-answers',
  'place-tree',
  'path-trie',
  'id-index',
  'postcode-index',
  'place-orders',
  'point-index',
  'place-positions',
  'name-index',
  'place-contexts',
  'old-paths',
  'place-facts',
] as const;

export const WORLD_SECTIONS = ['country-answers', 'country-grid', 'world-name-index', 'world-postcodes'] as const;

/** The sections of a snapshot without full codes. */
export const SECTIONS = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS] as const;

/**
 * The structure of countries with full codes. A snapshot has this section, behind the other country sections, only if
 * it has full codes; then it has FULL_CODES_VERSION, and an empty slice for each other country with data.
 */
export const FULL_CODES_SECTION = 'full-codes' as const;

/** The format version of a snapshot with full codes: the newest. */
export const FULL_CODES_VERSION = 10;

/**
 * Number of country and world sections of each earlier format version whose places a build can compare with its own.
 * New structures were appended, so these are the first of COUNTRY_SECTIONS and of WORLD_SECTIONS.
 */
const EARLIER_SECTION_COUNTS: Readonly<Record<number, { readonly country: number; readonly world: number }>> = {
  6: { country: 10, world: 3 },
  7: { country: 11, world: 3 },
};

/** The country sections and the world sections of a format version, in order. */
export function sectionsOf(version: number) {
  const counts = EARLIER_SECTION_COUNTS[version];
  const country: CountrySectionName[] = COUNTRY_SECTIONS.slice(0, counts?.country);
  if (version >= FULL_CODES_VERSION) country.push(FULL_CODES_SECTION);
  return { country, world: WORLD_SECTIONS.slice(0, counts?.world) };
}

/** The number of a country section, and of its slice among those of a country. */
export function sliceIndexOf(name: CountrySectionName): number {
  return name === FULL_CODES_SECTION ? COUNTRY_SECTIONS.length : COUNTRY_SECTIONS.indexOf(name);
}

export type CountrySectionName = (typeof COUNTRY_SECTIONS)[number] | typeof FULL_CODES_SECTION;
export type WorldSectionName = (typeof WORLD_SECTIONS)[number];
export type SectionName = CountrySectionName | WorldSectionName;
