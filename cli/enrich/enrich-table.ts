/**
 * Enriches a table as a stream: reads a piece, adds cells to its rows, writes them. Memory does not grow with the table.
 * All that is added depends on the row alone, so a run that continues from a checkpoint writes the same bytes.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ExpectedError } from '../../src/expected-error.js';
import type { ByteString } from '../../src/store/byte-string.js';
import type { Country, Snapshot } from '../../src/store/snapshot.js';
import { HEAD_BYTES, planTable, type TablePlan, type TableRequest } from './plan-table.js';
import { createRowAdder } from './row-adder.js';
import type { Checkpoint, TableOutput } from './table-output.js';
import { isBlank, MAX_LINE_BYTES, type TableRow } from './table-rows.js';
import { PIECE_BYTES, type TableSource } from './table-source.js';
import { Tally } from './tally.js';

/** Milliseconds between two checkpoints: at most the work of so long is done again. */
const CHECKPOINT_MS = 1_000;

export interface EnrichJob {
  readonly snapshot: Snapshot;
  readonly source: TableSource;
  readonly request: TableRequest;
  /** The country of rows without one in a column. */
  readonly country: Country | undefined;
  /** The checkpoint to continue from, if there is one of a run with this fingerprint, and the output. */
  readonly start: (fingerprint: string) => Promise<{ from: Checkpoint | undefined; output: TableOutput }>;
  /** Called when the columns are known. */
  readonly onPlan: (plan: TablePlan, from: Checkpoint | undefined) => void;
  /** Called after each piece. */
  readonly onPiece: (tally: Tally) => void;
  readonly checkpointMs?: number;
  readonly pieceBytes?: number;
}

/** Resolves with what was counted. Throws UsageError, ExpectedError, errors of the file system. */
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
  const plan = planTable(head.bytes.toString('latin1', 0, HEAD_BYTES), head.bytes.length < HEAD_BYTES, job.request);
  const fingerprint = fingerprintOf(job, plan, head.bytes);
  const { from, output } = await job.start(fingerprint);
  try {
    job.onPlan(plan, from);
    const tally = new Tally(from?.tally);
    const consumed = from?.consumed ?? plan.headerLength;
    if (from === undefined) await output.write(Buffer.from(plan.header, 'latin1'));
    const running = {
      output,
      tally,
      fingerprint,
      consumed,
      pieces: piecesFrom(consumed, head.bytes, pieces, job.pieceBytes ?? PIECE_BYTES),
    };
    await addToRows(job, plan, running);
    await output.finish();
    return tally;
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

/** A run from byte `consumed` of the table on. */
interface Running {
  readonly output: TableOutput;
  readonly tally: Tally;
  readonly fingerprint: string;
  readonly consumed: number;
  readonly pieces: AsyncIterable<Buffer>;
}

async function readHead(pieces: AsyncIterator<Buffer>): Promise<{ bytes: Buffer }> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < HEAD_BYTES) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    bytes = Buffer.concat([bytes, value]);
  }
  return { bytes };
}

/** The table from byte `start` on, in pieces of at most `pieceBytes`. */
async function* piecesFrom(
  start: number,
  head: Buffer,
  pieces: AsyncIterator<Buffer>,
  pieceBytes: number,
): AsyncGenerator<Buffer> {
  let left = start;
  let bytes: Buffer | undefined = head;
  while (bytes !== undefined) {
    for (let at = left; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    left = Math.max(0, left - bytes.length);
    const { value, done } = await pieces.next();
    bytes = done === true ? undefined : value;
  }
  if (left > 0)
    throw new ExpectedError('the table is shorter than in the interrupted run: start again without --resume');
}

function fingerprintOf({ snapshot, source, request, country }: EnrichJob, plan: TablePlan, head: Buffer): string {
  const { header, keys, added } = plan;
  const facts = [snapshot.id, source.identity, request, country?.entry.code, header, keys, added];
  return createHash('sha256').update(JSON.stringify(facts)).update(head.subarray(0, HEAD_BYTES)).digest('hex');
}

async function addToRows(
  job: EnrichJob,
  plan: TablePlan,
  { output, tally, fingerprint, consumed: start, pieces }: Running,
): Promise<void> {
  const { checkpointMs = CHECKPOINT_MS } = job;
  const addTo = createRowAdder(job.snapshot, plan, { fields: job.request.fields, country: job.country });
  let rest: ByteString = '';
  let consumed = start;
  let nextCheckpoint = performance.now() + checkpointMs;
  const take = async (text: ByteString, isLast: boolean): Promise<void> => {
    const { rows, length } = plan.reader.read(text, isLast);
    const taken = Buffer.from(text.slice(0, length), 'latin1');
    const isReadable = isUtf8(taken) ? () => true : (row: TableRow) => isUtf8(Buffer.from(row.head, 'latin1'));
    let result = '';
    for (const row of rows) result += row.head + addedTo(row, isReadable, addTo, tally) + row.tail;
    await output.write(Buffer.from(result, 'latin1'));
    consumed += length;
    rest = text.slice(length);
    if (rest.length > MAX_LINE_BYTES) throw new ExpectedError(`a line is longer than ${MAX_LINE_BYTES >> 20} MiB`);
  };
  for await (const piece of pieces) {
    await take(rest + piece.toString('latin1'), false);
    job.onPiece(tally);
    if (output.checkpoint === undefined || performance.now() < nextCheckpoint) continue;
    await output.checkpoint({ fingerprint, consumed, tally: tally.state });
    nextCheckpoint = performance.now() + checkpointMs;
  }
  if (rest !== '') await take(rest, true);
  job.onPiece(tally);
}

/** What is added to a row, which is counted. */
function addedTo(
  row: TableRow,
  isReadable: (row: TableRow) => boolean,
  addTo: ReturnType<typeof createRowAdder>,
  tally: Tally,
): ByteString {
  if (row.keys === undefined || isBlank(row) || !isReadable(row)) {
    if (!isBlank(row)) tally.count('bad');
    return '';
  }
  const { text, counted, miss, absent } = addTo(row.keys);
  tally.count(counted);
  if (absent !== undefined) tally.countAbsent(absent.entry.code);
  if (miss !== undefined) tally.countMiss(miss);
  return text;
}
