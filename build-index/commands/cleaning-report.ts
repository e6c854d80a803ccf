/** The section of a build report about the cleaning of places. */
import type { CleaningTally } from '../cleaning/cleaning-tally.js';
import { formatCount, printable } from '../reporting/tables.js';

export function cleaningAsObject(tally: CleaningTally) {
  return [...tally].map(([kind, { countByCountry, examples }]) => ({
    kind,
    count: countAll(countByCountry),
    countries: Object.fromEntries(countByCountry),
    examples,
  }));
}

/** A block for each kind of change: its count, the countries with the most changes first, some examples. */
export function cleaningAsBlocks(tally: CleaningTally): string[] {
  return [...tally].sort(byKind).map(([kind, { countByCountry, examples }]) => {
    const countries = [...countByCountry]
      .sort(([codeA, a], [codeB, b]) => b - a || (codeA < codeB ? -1 : 1))
      .map(([code, count]) => `${code} ${formatCount(count)}`);
    const lines = [`  ${countries.join(', ')}`, ...examples.map((example) => `  ${printable(example)}`)];
    return [`${kind} (${formatCount(countAll(countByCountry))})`, ...lines].join('\n');
  });
}

function byKind([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function countAll(countByCountry: ReadonlyMap<string, number>): number {
  return [...countByCountry.values()].reduce((sum, count) => sum + count, 0);
}
