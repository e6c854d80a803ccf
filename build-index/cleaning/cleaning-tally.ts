/** Counts the changes of cleaning, by kind and country, with the first examples. */

import { EXAMPLES_PER_KIND } from '../reading/row-problems.js';
import type { CollectedPlaces } from '../tree/collected-places.js';

/** Maximum number of examples from one country, so that no country fills the list. */
const EXAMPLES_PER_COUNTRY = 3;

interface Change {
  readonly countByCountry: Map<string, number>;
  readonly examples: string[];
}

/** By kind of change, in the order in which the kinds occurred. */
export type CleaningTally = Map<string, Change>;

export function createCleaningTally(): CleaningTally {
  return new Map();
}

/** Calls `example` only if the list of examples is not full. */
export function noteCleaning(tally: CleaningTally, kind: string, countryCode: string, example: () => string): void {
  const { countByCountry, examples } = changeOf(tally, kind);
  countByCountry.set(countryCode, (countByCountry.get(countryCode) ?? 0) + 1);
  if (examples.length < EXAMPLES_PER_KIND) examples.push(example());
}

/** Adds the changes of a country, which must not be in `total` yet. */
export function addCleaningTally(total: CleaningTally, ofCountry: CleaningTally): void {
  for (const [kind, { countByCountry, examples }] of ofCountry) {
    const change = changeOf(total, kind);
    for (const [code, count] of countByCountry) change.countByCountry.set(code, count);
    const room = Math.min(EXAMPLES_PER_COUNTRY, EXAMPLES_PER_KIND - change.examples.length);
    change.examples.push(...examples.slice(0, room));
  }
}

function changeOf(tally: CleaningTally, kind: string): Change {
  let change = tally.get(kind);
  if (change === undefined) {
    change = { countByCountry: new Map(), examples: [] };
    tally.set(kind, change);
  }
  return change;
}

/** A leaf as an example of a change. */
export function describeLeaf({ postalCodes, texts }: CollectedPlaces, countryCode: string, leaf: number): string {
  return `${countryCode} ${postalCodes[leaf]} ${texts[leaf]}`;
}
