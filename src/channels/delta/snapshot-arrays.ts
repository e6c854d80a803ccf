/**
 * The arrays of an uncut part, so that each is compared with the same array of an earlier release. Every byte of the
 * part belongs to one: directories count as arrays, and the padding behind an array as its own. Header and manifest are
 * one array of bytes.
 */
import { type BundleSchema, decodeDirectory, directoryBytes } from '../../format/array-bundle.js';
import { COUNTRY_GRID_SCHEMA } from '../../format/country-grid.js';
import { ID_INDEX_SCHEMA } from '../../format/id-index.js';
import { NAME_INDEX_SCHEMA } from '../../format/name-index.js';
import { OLD_PATHS_SCHEMA } from '../../format/old-paths.js';
import { PATH_TRIE_SCHEMA } from '../../format/path-trie.js';
import { PLACE_CONTEXTS_SCHEMA } from '../../format/place-contexts.js';
import { PLACE_FACTS_SCHEMA } from '../../format/place-facts.js';
import { PLACE_ORDERS_SCHEMA } from '../../format/place-orders.js';
import { PLACE_POSITIONS_SCHEMA } from '../../format/place-positions.js';
import { PLACE_TREE_SCHEMA } from '../../format/place-tree.js';
import { POINT_INDEX_SCHEMA } from '../../format/point-index.js';
import { POSTCODE_INDEX_SCHEMA } from '../../format/postcode-index.js';
import { RENDERED_COUNTRIES_SCHEMA } from '../../format/rendered-countries.js';
import { RENDERED_PLACES_SCHEMA } from '../../format/rendered-places.js';
import { COUNTRY_SECTIONS, type SectionName, WORLD_SECTIONS } from '../../format/sections.js';
import { WORLD_POSTCODES_SCHEMA } from '../../format/world-postcodes.js';
import { readBytes } from '../../store/snapshot-reading.js';
import { lengthOf, type PlannedPart, type Range } from '../snapshot-parts.js';

const SCHEMAS: Readonly<Record<SectionName, BundleSchema>> = {
  'place-answers': RENDERED_PLACES_SCHEMA,
  'place-tree': PLACE_TREE_SCHEMA,
  'path-trie': PATH_TRIE_SCHEMA,
  'id-index': ID_INDEX_SCHEMA,
  'postcode-index': POSTCODE_INDEX_SCHEMA,
  'place-orders': PLACE_ORDERS_SCHEMA,
  'point-index': POINT_INDEX_SCHEMA,
  'place-positions': PLACE_POSITIONS_SCHEMA,
  'name-index': NAME_INDEX_SCHEMA,
  'place-contexts': PLACE_CONTEXTS_SCHEMA,
  'old-paths': OLD_PATHS_SCHEMA,
  'place-facts': PLACE_FACTS_SCHEMA,
  'country-answers': RENDERED_COUNTRIES_SCHEMA,
  'country-grid': COUNTRY_GRID_SCHEMA,
  'world-name-index': NAME_INDEX_SCHEMA,
  'world-postcodes': WORLD_POSTCODES_SCHEMA,
};

export interface PartArray {
  /** Two releases have the same name for the same array of a part. */
  readonly name: string;
  /** Whether its elements are 32-bit numbers. Other elements are compared as bytes. */
  readonly isNumbers: boolean;
  /** From the start of the uncut part, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** The arrays of a part of planUncut, of the open snapshot `fd`. Throws SnapshotError. */
export function listArrays(fd: number, { name, ranges }: PlannedPart): PartArray[] {
  if (name === 'manifest') return [{ name, isNumbers: false, offset: 0, length: lengthOf(ranges) }];
  const isWorld = (WORLD_SECTIONS as readonly string[]).includes(name);
  let offset = 0;
  return ranges.flatMap((range, index) => {
    const section = isWorld ? (name as SectionName) : (COUNTRY_SECTIONS[index] as SectionName);
    const arrays = listBundle(fd, section, range, offset);
    offset += range.length;
    return arrays;
  });
}

function listBundle(fd: number, section: SectionName, range: Range, start: number): PartArray[] {
  const schema = SCHEMAS[section];
  const headLength = Math.min(directoryBytes(schema), range.length);
  const positions = decodeDirectory(schema, readBytes(fd, range.offset, headLength), range.length, section);
  const found = Object.entries(schema).map(([name, type]) => {
    const isNumbers = type === 'u32' || type === 'i32';
    return { name: `${section}.${name}`, isNumbers, offset: positions[name]?.offset as number };
  });
  const all = [{ name: section, isNumbers: true, offset: 0 }, ...found];
  return all.map(({ offset, ...array }, index) => {
    const end = all[index + 1]?.offset ?? range.length;
    return { ...array, offset: start + offset, length: end - offset };
  });
}
