/**
 * The codes of a place in few words. A run is a range of codes between which, in natural order, the country has no code
 * of another place: "80331–81929" says that all codes of Germany's localities from the first to the last are listed.
 */

import { codeRanksOf, isRecipientAt, listCodeRanks } from '../../core/lookup/code-ranks.js';
import { placesOfCodes } from '../../core/lookup/place-postcodes.js';
import { indexedPostcode } from '../../core/snapshot/postcode-index.js';
import type { CoveredCountry } from './covered-country.js';
import { oncePerLargeCity } from './once-per-large-city.js';
import { standingPlace } from './standing-place.js';

/** Maximum number of runs that are named; of more, only the first and the last code are. */
const MAX_RUNS = 4;

export interface CodeSummary {
  /** The number of codes. */
  readonly count: number;
  /** "80331–81929", "10001–10040, 10044", or "10001 … 10292" where the runs are too many. */
  readonly text: string;
  /** Whether other places have codes between the first and the last that `text` does not tell apart. */
  readonly hasGaps: boolean;
}

export function codeOfRank({ structures }: CoveredCountry, rank: number): string {
  return indexedPostcode(structures.postcodes, codeRanksOf(structures).codes[rank] as number);
}

/**
 * The ranks of the codes that the page of a place has, ascending: those of the place that stands for its rows. None for a
 * recipient.
 */
export function listRanksOfPage(country: CoveredCountry, place: number): readonly number[] {
  const { structures } = country;
  return isRecipientAt(codeRanksOf(structures), place) ? [] : ranksOf(country, standingPlace(structures, place));
}

const ranksOf = oncePerLargeCity(({ structures }, place) =>
  listCodeRanks(codeRanksOf(structures), placesOfCodes(structures, place)),
);

/** `ranks` ascend; there is at least one. */
export function summarizeCodes(country: CoveredCountry, ranks: readonly number[]): CodeSummary {
  const [first = 0] = ranks;
  const last = ranks.at(-1) as number;
  const count = ranks.length;
  const text = (rank: number): string => codeOfRank(country, rank);
  if (count === 1) return { count, text: text(first), hasGaps: false };
  const runs = splitRuns(ranks);
  if (runs === undefined) return { count, text: `${text(first)} … ${text(last)}`, hasGaps: true };
  const words = runs.map(([from, to]) =>
    from === to ? text(from) : `${text(from)}${to === from + 1 ? ', ' : '–'}${text(to)}`,
  );
  return { count, text: words.join(', '), hasGaps: false };
}

/** The runs, as their first and last ranks; undefined if there are more than MAX_RUNS. */
function splitRuns(ranks: readonly number[]): (readonly [number, number])[] | undefined {
  const runs: (readonly [number, number])[] = [];
  let from = ranks[0] as number;
  for (let at = 1; at <= ranks.length; at++) {
    const before = ranks[at - 1] as number;
    if (ranks[at] === before + 1) continue;
    if (runs.length === MAX_RUNS) return undefined;
    runs.push([from, before]);
    from = ranks[at] as number;
  }
  return runs;
}
