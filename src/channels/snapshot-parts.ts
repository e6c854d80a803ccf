/**
 * Divides a snapshot file into parts that are transferred one by one. A part is a list of ranges of the file, whose
 * bytes follow each other: the slices of one country, one section of the world, or header and manifest. So a country
 * that did not change has the same parts in the next release, wherever its slices are in that file. Parts are cut at
 * MAX_PART_BYTES. The padding between slices and sections is zero, and in no part.
 */
import { HEADER_BYTES, type Header } from '../format/header.js';
import type { Manifest, Section, Slice } from '../format/manifest.js';
import { COUNTRY_SECTIONS } from '../format/sections.js';

/** Offset in the file and length, in bytes. */
export type Range = Slice;

export interface PlannedPart {
  /** What is in it: a country's code, the name of a section, or "manifest". Several parts may have one name. */
  readonly name: string;
  readonly ranges: readonly Range[];
}

/**
 * Maximum length of a part in bytes before compression: 15 MiB. Brotli never makes more than 16 MB of it, the bound of
 * a published part.
 */
export const MAX_PART_BYTES = 15 << 20;

/** The parts of a file with this header and manifest, in a fixed order. */
export function planParts(header: Header, manifest: Manifest): PlannedPart[] {
  return planUncut(header, manifest).flatMap(cutPart);
}

/** The same before they are cut at MAX_PART_BYTES: each name once. */
export function planUncut(header: Header, { countries, sections }: Manifest): PlannedPart[] {
  const ofCountries = countries.map(({ code, slices }) => {
    return { name: code, ranges: slices.map((slice, index) => rangeIn(sections[index] as Section, slice)) };
  });
  const ofWorld = sections.slice(COUNTRY_SECTIONS.length).map(({ name, offset, length }) => {
    return { name, ranges: [{ offset, length }] };
  });
  const head = {
    name: 'manifest',
    ranges: [
      { offset: 0, length: HEADER_BYTES },
      { offset: header.manifestOffset, length: header.manifestLength },
    ],
  };
  return [head, ...ofCountries, ...ofWorld].filter(({ ranges }) => ranges.length > 0);
}

/** The number of bytes of a part before compression. */
export function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { length }) => sum + length, 0);
}

function rangeIn(section: Section, { offset, length }: Slice): Range {
  return { offset: section.offset + offset, length };
}

/** Where the bytes of a part lie that are `offset` from its start. */
export function slicedRanges(ranges: readonly Range[], { offset, length }: Range): Range[] {
  const sliced: Range[] = [];
  let start = 0;
  for (const range of ranges) {
    const from = Math.max(offset, start);
    const to = Math.min(offset + length, start + range.length);
    if (from < to) sliced.push({ offset: range.offset + from - start, length: to - from });
    start += range.length;
  }
  return sliced;
}

/** Cuts a part into parts of at most MAX_PART_BYTES. No range is empty. */
export function cutPart({ name, ranges }: PlannedPart): PlannedPart[] {
  const parts: Range[][] = [];
  let free = 0;
  for (const range of ranges) {
    for (let { offset, length } = range; length > 0; ) {
      if (free === 0) {
        parts.push([]);
        free = MAX_PART_BYTES;
      }
      const taken = Math.min(free, length);
      parts.at(-1)?.push({ offset, length: taken });
      offset += taken;
      length -= taken;
      free -= taken;
    }
  }
  return parts.map((part) => ({ name, ranges: part }));
}
