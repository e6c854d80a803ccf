/** The section of a build report about the codes of ISO 3166-2: what has no partner, by country. */
import { formatCount, printable, renderTable } from '../reporting/tables.js';
import type { SubdivisionTally } from '../structures/subdivision-codes.js';

export function subdivisionsAsText(tallies: readonly SubdivisionTally[]): string {
  const sumOf = (count: (tally: SubdivisionTally) => number): number =>
    tallies.reduce((sum, tally) => sum + count(tally), 0);
  const units = sumOf((tally) => tally.units);
  const without = sumOf(({ unitsWithoutCode }) => unitsWithoutCode);
  const first = `ISO 3166-2: ${formatCount(units - without)} of ${formatCount(units)} first-level units have a code`;
  const rows = tallies
    .filter(({ unitsWithoutCode, codesWithoutUnit }) => unitsWithoutCode + codesWithoutUnit > 0)
    .map(({ countryCode, units: count, unitsWithoutCode, unitNames, codesWithoutUnit, codes }) => [
      countryCode,
      formatCount(count),
      formatCount(unitsWithoutCode),
      formatCount(codesWithoutUnit),
      [list(unitNames.map(printable), unitsWithoutCode), list(codes, codesWithoutUnit)]
        .filter((text) => text !== '')
        .join('; without a unit: '),
    ]);
  if (rows.length === 0) return first;
  return `${first}\n${renderTable(['country', 'units', 'without a code', 'codes without a unit', 'these are'], rows)}`;
}

function list(names: readonly string[], count: number): string {
  return names.length < count ? `${names.join(', ')} …` : names.join(', ');
}
