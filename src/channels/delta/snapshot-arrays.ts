/**
 * The arrays of an uncut part, so that each is compared with the same array of an earlier release. Every byte of the
 * part belongs to one: directories count as arrays, and the padding behind an array is part of the array. Header and
 * manifest are one array of bytes.
 */
import { type BundleSchema, decodeDirectory, directoryBytes } from '../../format/array-bundle.js';
import { SECTION_SCHEMAS } from '../../format/section-schemas.js';
import { COUNTRY_SECTIONS, type SectionName, WORLD_SECTIONS } from '../../format/sections.js';
import { readBytes } from '../../store/snapshot-reading.js';
import { lengthOf, type PlannedPart, type Range } from '../snapshot-parts.js';

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
  const schema: BundleSchema = SECTION_SCHEMAS[section];
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
