/**
 * Sorts the lines of an allCountries file by country into a folder of XX.txt files, so that the build can go on one
 * country at a time with memory for one country. Of a line only the first column is looked at. Remembers where the
 * lines stood, for the report.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { noteProblem, type Tally } from './build-problem.js';
import { type CountryFile, type LineRun, type RowFile, readLines } from './release.js';

const LINE_END = Buffer.from('\n');
const FLUSH_BYTES = 1 << 20;

interface Spool {
  readonly lineRuns: LineRun[];
  lineCount: number;
  /** Of the lines before, which are in the file. */
  writtenBytes: number;
  pending: Buffer[];
  pendingBytes: number;
}

/** The country files written into `folder`, which must not be there yet, ascending by country. */
export async function spoolCountries(file: RowFile, folder: string, tally: Tally): Promise<CountryFile[]> {
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
