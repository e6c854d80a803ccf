/**
 * The format version of snapshots, and their sections in the order of the file. Each structure has one section. A country
 * section holds one slice for each country with data, in order of the country's code; a world section is a single slice. A
 * new structure takes a name at the end of its list here, its layout in this folder, and a file of the same name in the
 * builder. (The sections `place-answers` and `country-answers` are the structures rendered-places and rendered-countries.)
 */

/** Alignment of sections in bytes: a memory page, so that a section can be mapped or read ahead separately. */
export const PAGE_BYTES = 4096;

/** Alignment of slices in bytes from their section's start: a cache line. */
export const SLICE_ALIGNMENT = 64;

/**
 * The structures of a country. `place-answers` comes first: it is the largest section, and the builder streams it. The
 * slices of `full-codes` and `names-by-language` are empty for a country that has none.
 */
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
  'full-codes',
  'names-by-language',
  'place-cities',
] as const;

/** `country-names-by-language` is empty where no place has names in other languages. */
export const WORLD_SECTIONS = [
  'country-answers',
  'country-grid',
  'world-name-index',
  'world-postcodes',
  'country-names-by-language',
] as const;

export type CountrySectionName = (typeof COUNTRY_SECTIONS)[number];
export type WorldSectionName = (typeof WORLD_SECTIONS)[number];
export type SectionName = CountrySectionName | WorldSectionName;

/** All sections, in the order of the file. */
export const SECTIONS: readonly SectionName[] = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS];

/** The format version of the snapshots that this program writes and serves. */
export const FORMAT_VERSION = 12;
/** The oldest format version whose places a build can compare with its own: see decodePreviousManifest. */
export const OLDEST_PREVIOUS_VERSION = 6;

/** Number of country and world sections of each earlier format version: the first of the lists above. */
const EARLIER_SECTION_COUNTS: Readonly<Record<number, { readonly country: number; readonly world: number }>> = {
  6: { country: 10, world: 3 },
  7: { country: 11, world: 3 },
  8: { country: 12, world: 4 },
  9: { country: 12, world: 4 },
  10: { country: 13, world: 4 },
  11: { country: 14, world: 5 },
};

/** The country sections and the world sections of a format version, in order. */
export function sectionsOf(version: number): {
  readonly country: readonly CountrySectionName[];
  readonly world: readonly WorldSectionName[];
} {
  const counts = EARLIER_SECTION_COUNTS[version];
  return { country: COUNTRY_SECTIONS.slice(0, counts?.country), world: WORLD_SECTIONS.slice(0, counts?.world) };
}

/** The number of a country section, and of its slice among those of a country. */
export function sectionIndexOf(name: CountrySectionName): number {
  return COUNTRY_SECTIONS.indexOf(name);
}
