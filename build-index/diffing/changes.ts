/** The result of comparing two snapshots: counts and examples, of one country or of all countries. */

export interface Counts {
  readonly placesBefore: number;
  readonly placesAfter: number;
  readonly idsKept: number;
  readonly added: number;
  readonly removed: number;
  readonly moved: number;
  readonly renamed: number;
  readonly retyped: number;
  /** Each of these counts includes the next one. */
  readonly shiftedOver1Km: number;
  readonly shiftedOver10Km: number;
  readonly shiftedOver100Km: number;
  readonly codesBefore: number;
  readonly codesAfter: number;
  readonly codesAdded: number;
  readonly codesRemoved: number;
}

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

export interface Position {
  readonly latitude: number;
  readonly longitude: number;
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

export function hasChanges(counts: Counts): boolean {
  const { added, removed, moved, renamed, retyped, shiftedOver1Km, codesAdded, codesRemoved } = counts;
  return added + removed + moved + renamed + retyped + shiftedOver1Km + codesAdded + codesRemoved > 0;
}

const NO_COUNTS: Counts = {
  placesBefore: 0,
  placesAfter: 0,
  idsKept: 0,
  added: 0,
  removed: 0,
  moved: 0,
  renamed: 0,
  retyped: 0,
  shiftedOver1Km: 0,
  shiftedOver10Km: 0,
  shiftedOver100Km: 0,
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
  };
}

function pickAcross<T>(lists: readonly (readonly T[])[]): T[] {
  const rounds = Array.from({ length: EXAMPLES_PER_KIND }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  );
  return rounds.flat().slice(0, EXAMPLES_PER_KIND);
}
