/**
 * Enriches a table as a stream: reads a piece, adds cells to its rows, writes them. Memory does not grow with the table.
 * All that is added depends on the row alone, so a run that goes on with an interrupted one writes the same bytes.
 */

import { isUtf8 } from 'node:buffer';
import { ExpectedError } from '../../src/base/errors.js';
import type { ByteString } from '../../src/core/snapshot/byte-string.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createCellAdder } from './added-cells.js';
import { HEAD_BYTES, planTable, type TablePlan, type TableRequest } from './plan-table.js';
import type { TableSource } from './table-input.js';
import type { TableOutput } from './table-output.js';
import { countLines, isBlankRow, MAX_LINE_BYTES, type TableRow } from './table-rows.js';
import { Tally } from './tally.js';

/** Number of bytes after which a result is written: short rows would make a piece of a table a long result. */
const WRITTEN_BYTES = 1 << 16;

export interface EnrichJob {
  readonly snapshot: Snapshot;
  readonly source: TableSource;
  readonly request: TableRequest;
  /** The country of rows without one in a column. */
  readonly country: Country | undefined;
  /** Called when the columns are known. */
  readonly openOutput: (plan: TablePlan) => Promise<TableOutput>;
  /** Called after each piece. */
  readonly onPiece: (tally: Tally) => void;
}

/** Resolves with what was counted. */
export async function enrichTable(job: EnrichJob): Promise<Tally> {
  const pieces = job.source.pieces[Symbol.asyncIterator]();
  try {
    return await enrichPieces(job, pieces);
  } finally {
    // An input that is still open would keep the process.
    await pieces.return?.();
  }
}

async function enrichPieces(job: EnrichJob, pieces: AsyncIterator<Buffer>): Promise<Tally> {
  const head = await readHead(pieces);
  const plan = planTable(head.toString('latin1', 0, HEAD_BYTES), head.length < HEAD_BYTES, job.request);
  const output = await job.openOutput(plan);
  try {
    const tally = await addToRows(job, plan, output, piecesFrom(plan.headerLength, head, pieces));
    await output.finish();
    return tally;
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

async function readHead(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < HEAD_BYTES) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    bytes = Buffer.concat([bytes, value]);
  }
  return bytes;
}

/** The table without its header. */
async function* piecesFrom(headerLength: number, head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head.subarray(headerLength);
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}

async function addToRows(
  job: EnrichJob,
  plan: TablePlan,
  output: TableOutput,
  pieces: AsyncIterable<Buffer>,
): Promise<Tally> {
  const tally = new Tally();
  const addTo = createCellAdder(job.snapshot, plan, { ...job.request, country: job.country });
  /** What the first row has before it. */
  let { header } = plan;
  let line = countLines(header) + 1;
  let rest: ByteString = '';
  const take = async (text: ByteString, isLast: boolean): Promise<void> => {
    const lines = Buffer.from(isLast ? text : text.slice(0, text.lastIndexOf('\n') + 1), 'latin1');
    const isReadable = isUtf8(lines) ? () => true : (row: TableRow) => isUtf8(Buffer.from(row.head, 'latin1'));
    let [result, length] = ['', 0];
    for (const row of plan.reader.read(text, isLast)) {
      if (output.has(header + row.head, row.tail)) tally.earlierRows += isBlankRow(row) ? 0 : 1;
      else {
        if (row.openQuote !== undefined) tally.noteOpenQuote(line + row.openQuote);
        result += header + row.head + addedTo(row, isReadable, addTo, tally) + row.tail;
      }
      header = '';
      length += row.head.length + row.tail.length;
      line += row.lineCount;
      if (result.length < WRITTEN_BYTES) continue;
      await output.write(Buffer.from(result, 'latin1'));
      result = '';
    }
    await output.write(Buffer.from(result, 'latin1'));
    rest = text.slice(length);
    if (rest.length > MAX_LINE_BYTES) throw new ExpectedError(`a line is longer than ${MAX_LINE_BYTES >> 20} MiB`);
  };
  for await (const piece of pieces) {
    await take(rest + piece.toString('latin1'), false);
    job.onPiece(tally);
  }
  await take(rest, true);
  await output.write(Buffer.from(header, 'latin1'));
  job.onPiece(tally);
  return tally;
}

/** What is added to a row, which is counted. */
function addedTo(
  row: TableRow,
  isReadable: (row: TableRow) => boolean,
  addTo: ReturnType<typeof createCellAdder>,
  tally: Tally,
): ByteString {
  if (row.keys === undefined || isBlankRow(row) || !isReadable(row)) {
    if (!isBlankRow(row)) tally.count('bad');
    return '';
  }
  const { text, counted, miss, absent, hadLostZeros, isCodeElsewhere } = addTo(row.keys);
  tally.count(counted);
  if (hadLostZeros) tally.lostZeroRows++;
  if (isCodeElsewhere) tally.codeElsewhereRows++;
  if (absent !== undefined) tally.countAbsent(absent.entry.code);
  if (miss !== undefined) tally.countMiss(miss);
  return text;
}
