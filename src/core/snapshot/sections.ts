/**
 * The format versions of snapshots, and the sections of each in the order of the file. Each structure has one section. A
 * country section holds one slice for each country with data, in order of the country's code; a world section is a single
 * slice. A new structure takes a name here, its layout in this folder, and a file of the same name in the builder. (The
 * sections `place-answers` and `country-answers` are the structures rendered-places and rendered-countries.)
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

/** The format version of a snapshot with neither full codes nor names in other languages. */
export const FORMAT_VERSION = 9;
/** The oldest format version whose places a build can compare with its own: see decodePreviousManifest. */
export const OLDEST_PREVIOUS_VERSION = 6;
/** The sections of a snapshot with neither full codes nor names in other languages. */
export const SECTIONS = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS] as const;

/**
 * The structure of countries with full codes. A snapshot has this section, behind the other country sections, from
 * FULL_CODES_VERSION on, with an empty slice for each country with data that has no full codes.
 */
export const FULL_CODES_SECTION = 'full-codes' as const;

/** The format version of a snapshot with full codes and without names in other languages. */
export const FULL_CODES_VERSION = 10;

/**
 * The structure of countries with names in other languages, and the one of the world with those of countries. A snapshot
 * has both sections, and that of full codes, only if it has such names; then it has NAMES_VERSION. They are behind the
 * other country sections and the other world sections.
 */
export const NAMES_SECTION = 'names-by-language' as const;
export const COUNTRY_NAMES_SECTION = 'country-names-by-language' as const;

/** The format version of a snapshot with names in other languages. */
export const NAMES_VERSION = 11;

/** The newest format version that this program reads. */
export const NEWEST_VERSION = NAMES_VERSION;

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
  const world: WorldSectionName[] = WORLD_SECTIONS.slice(0, counts?.world);
  if (version >= FULL_CODES_VERSION) country.push(FULL_CODES_SECTION);
  if (version >= NAMES_VERSION) {
    country.push(NAMES_SECTION);
    world.push(COUNTRY_NAMES_SECTION);
  }
  return { country, world };
}

/** The format version of a snapshot; `hasAny` tells whether a country has something in a section. */
export function formatVersionBySections(hasAny: (name: CountrySectionName) => boolean): number {
  if (hasAny(NAMES_SECTION)) return NAMES_VERSION;
  return hasAny(FULL_CODES_SECTION) ? FULL_CODES_VERSION : FORMAT_VERSION;
}

/** The format version of a snapshot with these sections. */
export function formatVersionOfSections(sections: readonly { readonly name: SectionName }[]): number {
  return formatVersionBySections((one) => sections.some(({ name }) => name === one));
}

/** Whether this program serves snapshots of a format version. */
export function isReadableVersion(version: number): boolean {
  return version >= FORMAT_VERSION && version <= NEWEST_VERSION;
}

const ALL_COUNTRY_SECTIONS: readonly CountrySectionName[] = [...COUNTRY_SECTIONS, FULL_CODES_SECTION, NAMES_SECTION];

/** The number of a country section, and of its slice among those of a country. */
export function sectionIndexOf(name: CountrySectionName): number {
  return ALL_COUNTRY_SECTIONS.indexOf(name);
}

export type CountrySectionName = (typeof COUNTRY_SECTIONS)[number] | typeof FULL_CODES_SECTION | typeof NAMES_SECTION;
export type WorldSectionName = (typeof WORLD_SECTIONS)[number] | typeof COUNTRY_NAMES_SECTION;
export type SectionName = CountrySectionName | WorldSectionName;
