/** What comparing two snapshots finds: figures and a few examples, of a country or of all. */

export interface Counts {
  readonly placesBefore: number;
  readonly placesAfter: number;
  readonly idsKept: number;
  readonly added: number;
  readonly removed: number;
  readonly moved: number;
  readonly renamed: number;
  readonly codesBefore: number;
  readonly codesAfter: number;
  readonly codesAdded: number;
  readonly codesRemoved: number;
}

export interface PlaceSummary {
  readonly id: string;
  readonly name: string;
  readonly localName: string;
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

export interface CodeChange {
  readonly countryCode: string;
  readonly postalCode: string;
}

export interface Examples {
  readonly added: readonly PlaceChange[];
  readonly removed: readonly PlaceChange[];
  readonly moved: readonly PlaceChange[];
  readonly renamed: readonly PlaceChange[];
  readonly codesAdded: readonly CodeChange[];
  readonly codesRemoved: readonly CodeChange[];
}

/** Of a country. */
export interface CountryDiff {
  readonly code: string;
  readonly counts: Counts;
  readonly examples: Examples;
}

export const EXAMPLES_PER_KIND = 5;

/** How many ids are in the old snapshot only. */
export function lostIds({ placesBefore, idsKept }: Counts): number {
  return placesBefore - idsKept;
}

/** Percent of the old places; 0 where there were none. */
export function lossPercent(counts: Counts): number {
  return counts.placesBefore === 0 ? 0 : (100 * lostIds(counts)) / counts.placesBefore;
}

export function hasChanges({ added, removed, moved, renamed, codesAdded, codesRemoved }: Counts): boolean {
  return added + removed + moved + renamed + codesAdded + codesRemoved > 0;
}

const NO_COUNTS: Counts = {
  placesBefore: 0,
  placesAfter: 0,
  idsKept: 0,
  added: 0,
  removed: 0,
  moved: 0,
  renamed: 0,
  codesBefore: 0,
  codesAfter: 0,
  codesAdded: 0,
  codesRemoved: 0,
};

export function sumCounts(list: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const key of Object.keys(NO_COUNTS) as (keyof Counts)[]) {
    sum[key] = list.reduce((total, counts) => total + counts[key], 0);
  }
  return sum as unknown as Counts;
}

/** A few examples of each kind: one of each country in turn, in the order given. */
export function pickExamples(list: readonly Examples[]): Examples {
  return {
    added: pickInTurn(list.map(({ added }) => added)),
    removed: pickInTurn(list.map(({ removed }) => removed)),
    moved: pickInTurn(list.map(({ moved }) => moved)),
    renamed: pickInTurn(list.map(({ renamed }) => renamed)),
    codesAdded: pickInTurn(list.map(({ codesAdded }) => codesAdded)),
    codesRemoved: pickInTurn(list.map(({ codesRemoved }) => codesRemoved)),
  };
}

function pickInTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const turns = Array.from({ length: EXAMPLES_PER_KIND }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  );
  return turns.flat().slice(0, EXAMPLES_PER_KIND);
}
