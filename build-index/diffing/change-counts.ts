/** What a comparison of two snapshots finds: counts, and the first examples of each kind, of one country or of all. */

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

/** The count of each kind of change that has examples, in the order of the JSON report. */
const COUNT_OF_KIND = {
  added: 'added',
  removed: 'removed',
  moved: 'moved',
  renamed: 'renamed',
  retyped: 'retyped',
  shifted: 'shiftedOver1Km',
  codesAdded: 'codesAdded',
  codesRemoved: 'codesRemoved',
  fullCodesAdded: 'fullCodesAdded',
  fullCodesRemoved: 'fullCodesRemoved',
  fullCodesMoved: 'fullCodesMoved',
} as const satisfies Readonly<Record<string, keyof Counts>>;

type ExampleKind = keyof typeof COUNT_OF_KIND;
export const EXAMPLE_KINDS = Object.keys(COUNT_OF_KIND) as ExampleKind[];

/** Maximum number of examples for each kind of change. */
export const EXAMPLES_PER_KIND = 5;

export interface PlaceSummary {
  readonly id: string;
  readonly name: string;
  readonly localName: string;
  readonly type: string;
  readonly path: string;
  /** Null for admin units. */
  readonly postalCode: string | null;
}

/** A place before and after the change, null where it is not there; or a postal code. */
export interface Example {
  readonly countryCode: string;
  readonly before?: PlaceSummary | null;
  readonly after?: PlaceSummary | null;
  /** Of a kept place with different coordinates: these, and their distance. */
  readonly from?: Position;
  readonly to?: Position;
  readonly km?: number;
  /** Only of codes. */
  readonly postalCode?: string;
}

export type Examples = Readonly<Record<ExampleKind, readonly Example[]>>;

export interface CountryDiff {
  readonly code: string;
  readonly counts: Counts;
  readonly examples: Examples;
}

/** Number of changes of a kind. */
export function changeCountOf(counts: Counts, kind: ExampleKind): number {
  return counts[COUNT_OF_KIND[kind]];
}

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

export function hasCountedChanges(counts: Counts): boolean {
  return EXAMPLE_KINDS.some((kind) => changeCountOf(counts, kind) > 0);
}

export function sumCounts(list: readonly Counts[]): Counts {
  const sums = COUNTS.map((count) => [count, list.reduce((sum, counts) => sum + counts[count], 0)]);
  return Object.fromEntries(sums) as Counts;
}

/**
 * Examples of each kind of change: the farthest shifts; for the other kinds the first example of each country, in the
 * given order, then the second of each, and so on.
 */
export function pickChangeExamples(list: readonly Examples[]): Examples {
  const picked = EXAMPLE_KINDS.map((kind) => [kind, pickAcross(list.map((examples) => examples[kind]))]);
  const shifted = list.flatMap((examples) => examples.shifted).sort((a, b) => (b.km as number) - (a.km as number));
  return { ...(Object.fromEntries(picked) as Examples), shifted: shifted.slice(0, EXAMPLES_PER_KIND) };
}

function pickAcross<T>(lists: readonly (readonly T[])[]): T[] {
  const rounds = Array.from({ length: EXAMPLES_PER_KIND }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  );
  return rounds.flat().slice(0, EXAMPLES_PER_KIND);
}
