/**
 * Lines of addresses of known towns (known-lines.tsv): the country, the town by a name that the gazetteer has, the code
 * as typed, the line. Some codes the data lacks: the town is the answer to these.
 */
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { readTable } from './read-table.mjs';

/** The lines of countries that the data has, like those of drawn-lines.mjs. Throws if the gazetteer lacks a town. */
export function listKnownLines(source) {
  const rows = readTable('known-lines.tsv').filter(({ country }) => source.isCovered(country));
  return rows.map((row) => ({ ...row, position: source.cityNamed(row.country, foldText(row.town)) }));
}
