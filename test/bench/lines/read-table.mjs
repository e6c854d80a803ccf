/** Reads the tables beside the programs of bench:lines: tab-separated, with a header. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of a table as objects by the names of its header. */
export function readTable(name) {
  const [header, ...rows] = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n');
  const columns = header.split('\t');
  return rows.map((row) => {
    const texts = row.split('\t');
    return Object.fromEntries(columns.map((column, at) => [column, texts[at]]));
  });
}
