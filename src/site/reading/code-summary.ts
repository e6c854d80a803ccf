/**
 * The codes of a place in few words. A run is a range of codes between which, in natural order, the country has no code
 * of another place: "80331–81929" says that all codes of Germany's localities from the first to the last are listed. The
 * codes of a run begin with the same letters.
 */

import { codeRanksOf, isRecipientAt, listCodeRanks } from '../../core/lookup/code-ranks.js';
import { placesOfCodes } from '../../core/lookup/place-postcodes.js';
import { indexedPostcode } from '../../core/snapshot/postcode-index.js';
import type { CoveredCountry } from './covered-country.js';
import { oncePerLargeCity } from './once-per-large-city.js';
import { standingPlace } from './standing-place.js';

/** Maximum number of runs that are named: London has eight, from E to WC. */
const MAX_RUNS = 8;
/** The longest run has at most as many times the codes of another that is named: a village counted to a city isn't. */
const MAX_TIMES = 10;
const LETTERS = /^[A-Z]*/;

export interface CodeSummary {
  /** The number of codes. */
  readonly count: number;
  /** "80331–81929", or "10001–10040, 10044": the longest runs in their order. */
  readonly text: string;
  /** The number of codes in shorter runs, which `text` leaves out. */
  readonly otherCount: number;
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
  const runs = splitRuns(country, ranks).sort((a, b) => sizeOf(b) - sizeOf(a));
  const least = sizeOf(runs[0] as Run) / MAX_TIMES;
  const named = runs.slice(0, MAX_RUNS).filter((run) => sizeOf(run) >= least);
  const words = named
    .sort((a, b) => a.first - b.first)
    .map(({ first, last }) => {
      const [from, to] = [codeOfRank(country, first), codeOfRank(country, last)];
      return first === last ? from : `${from}${last === first + 1 ? ', ' : '–'}${to}`;
    });
  const namedCount = named.reduce((sum, run) => sum + sizeOf(run), 0);
  return { count: ranks.length, text: words.join(', '), otherCount: ranks.length - namedCount };
}

/** The first and the last of ranks that follow each other. */
interface Run {
  readonly first: number;
  readonly last: number;
}

function sizeOf({ first, last }: Run): number {
  return last - first + 1;
}

function splitRuns(country: CoveredCountry, ranks: readonly number[]): Run[] {
  const lettersOf = (rank: number): string => LETTERS.exec(codeOfRank(country, rank))?.[0] ?? '';
  // In natural order codes that begin with a digit come first: most countries have no others.
  const areLettered = lettersOf(ranks.at(-1) as number) !== '';
  const runs: Run[] = [];
  let first = ranks[0] as number;
  ranks.forEach((last, at) => {
    const next = ranks[at + 1] ?? Number.POSITIVE_INFINITY;
    if (next === last + 1 && !(areLettered && lettersOf(next) !== lettersOf(last))) return;
    runs.push({ first, last });
    first = next;
  });
  return runs;
}
