/**
 * Sorts the lines of an allCountries file by country into a folder of XX.txt files, so that the build can go on one
 * country at a time with memory for one country. Works on bytes; lines are looked at no further than their first
 * column. Remembers where the lines stood, for the report.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { noteProblem, type Tally } from './build-problem.js';
import { type CountryFile, type LineRun, type RowFile, readChunks } from './release.js';

const LINE_FEED = 0x0a;
const LINE_END = Buffer.of(LINE_FEED);
const FLUSH_BYTES = 1 << 20;
/** What is kept of a line; a longer one is no row anyway, and a file of one endless line costs no memory. */
const MAX_LINE_BYTES = 1 << 16;

interface Spool {
  readonly lineRuns: LineRun[];
  lineCount: number;
  pending: Buffer[];
  pendingBytes: number;
}

/** The country files written into `folder`, which must not be there yet, ascending by country. */
export async function spoolCountries(file: RowFile, folder: string, tally: Tally): Promise<CountryFile[]> {
  mkdirSync(folder);
  const spools = new Map<string, Spool>();
  let lineNumber = 0;
  let lastCode = '';

  const flush = (code: string, spool: Spool): void => {
    appendFileSync(join(folder, `${code}.txt`), Buffer.concat(spool.pending));
    spool.pending = [];
    spool.pendingBytes = 0;
  };
  const takeLine = (line: Buffer): void => {
    lineNumber++;
    if (line.length === 0 || (line.length === 1 && line[0] === 0x0d)) {
      // The country's file will not have this line, so its numbers go on with a new run.
      lastCode = '';
      return;
    }
    const code = countryCodeOf(line, lineNumber);
    if (code === undefined) {
      tally.rowsRead++;
      tally.rowsRejected++;
      const text = line.toString('utf8', 0, 120);
      noteProblem(tally, 'rejected: no country of ISO 3166-1', () => `${file.textName}:${lineNumber}: ${text}`);
      lastCode = '';
      return;
    }
    let spool = spools.get(code);
    if (spool === undefined) {
      spool = { lineRuns: [], lineCount: 0, pending: [], pendingBytes: 0 };
      spools.set(code, spool);
    }
    spool.lineCount++;
    if (code !== lastCode) spool.lineRuns.push({ from: spool.lineCount, originalFrom: lineNumber });
    lastCode = code;
    spool.pending.push(line, LINE_END);
    spool.pendingBytes += line.length + 1;
    if (spool.pendingBytes > FLUSH_BYTES) flush(code, spool);
  };
  await eachLine(file, takeLine);
  for (const [code, spool] of spools) flush(code, spool);
  return [...spools.keys()].sort().map((countryCode) => ({
    countryCode,
    path: join(folder, `${countryCode}.txt`),
    textName: file.textName,
    lineRuns: (spools.get(countryCode) as Spool).lineRuns,
  }));
}

/** The country code that the line starts with; undefined where it starts with anything else. */
function countryCodeOf(line: Buffer, lineNumber: number): string | undefined {
  const text = line.toString('latin1', 0, 6);
  const start = lineNumber === 1 && text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
  return /^([A-Z]{2})\t/.exec(text.slice(start))?.[1];
}

async function eachLine(file: RowFile, take: (line: Buffer) => void): Promise<void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  await readChunks(file, (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      rest.push(chunk.subarray(start, end));
      take(rest.length === 1 ? (rest[0] as Buffer) : Buffer.concat(rest));
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length || restBytes > MAX_LINE_BYTES) return;
    rest.push(Buffer.from(chunk.subarray(start)));
    restBytes += chunk.length - start;
  });
  if (rest.length > 0) take(Buffer.concat(rest));
}
