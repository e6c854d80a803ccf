/** The result of comparing two snapshots: counts and examples, of one country or of all. */

import type { Position } from '../../src/core/snapshot/sphere.js';

/** In the order of the JSON report. Of the shifted places each count includes the next one. */
// biome-ignore format: a list of names.
const COUNTS = [
  'placesBefore', 'placesAfter', 'idsKept', 'added', 'removed', 'moved', 'renamed', 'retyped',
  'shiftedOver1Km', 'shiftedOver10Km', 'shiftedOver100Km',
  'codesBefore', 'codesAfter', 'codesAdded', 'codesRemoved',
  'fullCodesBefore', 'fullCodesAfter', 'fullCodesAdded', 'fullCodesRemoved', 'fullCodesMoved',
] as const;

export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export interface PlaceSummary {
  readonly id: string;
  readonly name: string;
  readonly localName: string;
  readonly type: string;
  readonly path: string;
  /** Null for admin units. */
  readonly postalCode: string | null;
}

/** `before` is null for an added place, `after` for a removed one. */
export interface PlaceChange {
  readonly countryCode: string;
  readonly before: PlaceSummary | null;
  readonly after: PlaceSummary | null;
}

/** A kept place with different coordinates. */
export interface PlaceShift extends PlaceChange {
  readonly from: Position;
  readonly to: Position;
  readonly km: number;
}

export interface CodeChange {
  readonly countryCode: string;
  readonly postalCode: string;
}

export interface Examples {
  readonly added: readonly PlaceChange[];
  readonly removed: readonly PlaceChange[];
  readonly moved: readonly PlaceChange[];
  readonly renamed: readonly PlaceChange[];
  readonly retyped: readonly PlaceChange[];
  /** The farthest first. */
  readonly shifted: readonly PlaceShift[];
  readonly codesAdded: readonly CodeChange[];
  readonly codesRemoved: readonly CodeChange[];
  readonly fullCodesAdded: readonly CodeChange[];
  readonly fullCodesRemoved: readonly CodeChange[];
  readonly fullCodesMoved: readonly CodeChange[];
}

export interface CountryDiff {
  readonly code: string;
  readonly counts: Counts;
  readonly examples: Examples;
}

/** Maximum number of examples for each kind of change. */
export const EXAMPLES_PER_KIND = 5;

/** Number of ids in the old snapshot only. */
export function lostIds({ placesBefore, idsKept }: Counts): number {
  return placesBefore - idsKept;
}

/** Lost ids in percent of the old places; 0 if there were none. */
export function lossPercent(counts: Counts): number {
  return counts.placesBefore === 0 ? 0 : (100 * lostIds(counts)) / counts.placesBefore;
}

/** Full codes that are gone, in percent of those before; 0 if there were none. */
export function fullCodeLossPercent({ fullCodesBefore, fullCodesRemoved }: Counts): number {
  return fullCodesBefore === 0 ? 0 : (100 * fullCodesRemoved) / fullCodesBefore;
}

export function hasChanges(counts: Counts): boolean {
  const { added, removed, moved, renamed, retyped, shiftedOver1Km, codesAdded, codesRemoved } = counts;
  const ofPlaces = added + removed + moved + renamed + retyped + shiftedOver1Km + codesAdded + codesRemoved;
  return ofPlaces > 0 || hasFullCodeChanges(counts);
}

export function hasFullCodeChanges({ fullCodesAdded, fullCodesRemoved, fullCodesMoved }: Counts): boolean {
  return fullCodesAdded + fullCodesRemoved + fullCodesMoved > 0;
}

export function sumCounts(list: readonly Counts[]): Counts {
  const sums = COUNTS.map((count) => [count, list.reduce((sum, counts) => sum + counts[count], 0)]);
  return Object.fromEntries(sums) as Counts;
}

/**
 * Examples of each kind of change: the farthest shifts; for the other kinds the first example of each country, in the
 * given order, then the second of each, and so on.
 */
export function pickExamples(list: readonly Examples[]): Examples {
  return {
    added: pickAcross(list.map(({ added }) => added)),
    removed: pickAcross(list.map(({ removed }) => removed)),
    moved: pickAcross(list.map(({ moved }) => moved)),
    renamed: pickAcross(list.map(({ renamed }) => renamed)),
    retyped: pickAcross(list.map(({ retyped }) => retyped)),
    shifted: list
      .flatMap(({ shifted }) => shifted)
      .sort((a, b) => b.km - a.km)
      .slice(0, EXAMPLES_PER_KIND),
    codesAdded: pickAcross(list.map(({ codesAdded }) => codesAdded)),
    codesRemoved: pickAcross(list.map(({ codesRemoved }) => codesRemoved)),
    fullCodesAdded: pickAcross(list.map(({ fullCodesAdded }) => fullCodesAdded)),
    fullCodesRemoved: pickAcross(list.map(({ fullCodesRemoved }) => fullCodesRemoved)),
    fullCodesMoved: pickAcross(list.map(({ fullCodesMoved }) => fullCodesMoved)),
  };
}

function pickAcross<T>(lists: readonly (readonly T[])[]): T[] {
  const rounds = Array.from({ length: EXAMPLES_PER_KIND }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  );
  return rounds.flat().slice(0, EXAMPLES_PER_KIND);
}
