/**
 * The sections of a snapshot and the order they lie in. Each structure has one section; a country section holds one
 * slice for each country with data, in order of the country's code, and a world section is one slice by itself.
 * Adding a structure means: a name here, its layout in this folder, a builder and a store file of the same name.
 */

/** Sections start at a multiple of this, so that one can be mapped, or read ahead, by itself. */
export const PAGE_BYTES = 4096;

/** Slices start at a multiple of this from their section's start: a cache line. */
export const SLICE_ALIGNMENT = 64;

/** Structures of one country each. `place-answers` is first since it is nine tenths of the file and is streamed. */
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
] as const;

export const WORLD_SECTIONS = ['country-answers', 'country-grid', 'world-name-index'] as const;

export const SECTIONS = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS] as const;

export type CountrySectionName = (typeof COUNTRY_SECTIONS)[number];
export type WorldSectionName = (typeof WORLD_SECTIONS)[number];
export type SectionName = (typeof SECTIONS)[number];
