/**
 * Splits an allCountries file by country into a folder of XX.txt files, so that the build needs memory for one country
 * at a time. Reads only the first column of each line. Records the original line numbers for the report.
 */

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CountryFile, LineRun } from './release.js';
import { noteProblem, type Tally } from './row-problems.js';
import { type RowFile, readLines } from './table-lines.js';

const LINE_END = Buffer.from('\n');
/** Number of bytes of a country to collect in memory before a write. */
const FLUSH_BYTES = 1 << 20;

interface Spool {
  readonly lineRuns: LineRun[];
  lineCount: number;
  /** Number of bytes in the file already. */
  writtenBytes: number;
  pending: Buffer[];
  pendingBytes: number;
}

/** The country files, sorted by country, written into `folder`, which must not exist. */
export async function splitByCountry(file: RowFile, folder: string, tally: Tally): Promise<CountryFile[]> {
  mkdirSync(folder);
  const spools = new Map<string, Spool>();
  let lastCode = '';
  let lastNumber = 0;

  const flush = (code: string, spool: Spool): void => {
    appendFileSync(join(folder, `${code}.txt`), Buffer.concat(spool.pending));
    spool.writtenBytes += spool.pendingBytes;
    spool.pending = [];
    spool.pendingBytes = 0;
  };
  await readLines(file, (line, lineNumber) => {
    const code = /^([A-Z]{2})\t/.exec(line.toString('latin1', 0, 3))?.[1];
    if (code === undefined) {
      tally.rowsRead++;
      tally.rowsRejected++;
      const text = line.toString('utf8', 0, 120);
      noteProblem(tally, 'rejected: no country of ISO 3166-1', () => `${file.textName}:${lineNumber}: ${text}`);
      return;
    }
    let spool = spools.get(code);
    if (spool === undefined) {
      spool = { lineRuns: [], lineCount: 0, writtenBytes: 0, pending: [], pendingBytes: 0 };
      spools.set(code, spool);
    }
    spool.lineCount++;
    const goesOn = code === lastCode && lineNumber === lastNumber + 1;
    if (!goesOn) spool.lineRuns.push({ from: spool.lineCount, originalFrom: lineNumber });
    lastCode = code;
    lastNumber = lineNumber;
    spool.pending.push(line, LINE_END);
    spool.pendingBytes += line.length + 1;
    if (spool.pendingBytes > FLUSH_BYTES) flush(code, spool);
  });
  for (const [code, spool] of spools) flush(code, spool);
  return [...spools]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([countryCode, { writtenBytes, lineRuns }]) => ({
      countryCode,
      path: join(folder, `${countryCode}.txt`),
      textName: file.textName,
      textBytes: writtenBytes,
      lineRuns,
    }));
}

/** "file:line" of a line in the release. */
export function locateSplitLine({ textName, lineRuns }: CountryFile, lineNumber: number): string {
  const run = lineRuns?.findLast(({ from }) => from <= lineNumber);
  return `${textName}:${run === undefined ? lineNumber : lineNumber - run.from + run.originalFrom}`;
}
