/**
 * The bulk request. Its key is checked before its body is read, and again when its number of lookups is known, so the
 * server reads no body without a good key, and counts a request as a whole or not at all. Lookups are parsed and answered
 * in slices of half a millisecond, one slice of one key in each turn of the event loop, and the answer leaves in pieces
 * as its client reads them: a request holds its body, its lookups and one piece of its answer.
 */
import type { Request, RequestHandler, Response } from 'express';
import { BULK_PATH, type BulkFormat, type BulkLookUp, bindLookups, LINES_TYPE, readBulkFormat } from '../api/bulk.js';
import type { KeyGate } from '../keys/key-batcher.js';
import { type Admission, admit, type KeyDecision } from '../keys/key-decision.js';
import type { Logger } from '../logger.js';
import { FairQueue } from '../server/fair-queue.js';
import { queryOf } from '../server/target.js';
import { DomainError } from '../service/domain-error.js';
import { addData, type ResponseData } from '../service/response-data.js';
import type { Service } from '../service/service.js';
import type { BufferSink } from '../store/byte-sink.js';
import { encodeUtf8 } from '../store/byte-string.js';
import { parseJson, readBulkBody, type SplitBody } from './bulk-body.js';
import { describeError, HttpError, keyCheckFailed, toClientVisible } from './errors.js';
import type { ErrorSender } from './handlers.js';
import { checkKey, takeDecision } from './key-check.js';
import { CONTENT_TYPE, contextOf, ENVELOPE_START, envelopeEnd, NO_CACHE_CONTROL, type Renderer } from './render.js';
import { PieceSender } from './sending-pieces.js';
import { Slices } from './slices.js';

export interface BulkDependencies {
  readonly service: Service;
  readonly keys: KeyGate;
  readonly renderer: Renderer;
  readonly sendError: ErrorSender;
  readonly logger: Logger;
  readonly bodyTimeoutMs: number;
}

/** A request whose lookups are parsed. */
interface BulkRequest extends Pick<SplitBody, 'shared'> {
  readonly slices: Slices;
  readonly format: BulkFormat;
  readonly lookups: readonly unknown[];
}

/** The POST handler of bulk requests. */
export function createBulkHandler(dependencies: BulkDependencies): RequestHandler {
  const { service, sendError } = dependencies;
  const lookUp = bindLookups(service);
  const queue = new FairQueue();
  return async (request, response) => {
    contextOf(response).route = BULK_PATH;
    try {
      const bulk = await admitBulk(request, response, queue, dependencies);
      if (bulk !== undefined) await sendEntries(bulk, response, lookUp, dependencies);
    } catch (error) {
      // The connection has no use: the rest of its body may never come, or is never parsed.
      const isLate = error instanceof HttpError && error.code === 'REQUEST_TIMEOUT';
      const isUnparsed = !request.complete && request.headers['transfer-encoding'] !== undefined;
      if (isLate || isUnparsed) response.shouldKeepAlive = false;
      sendError(error, request, response);
    }
  };
}

/** The request once it is counted; undefined where its client has gone. Throws why it is refused. */
async function admitBulk(
  request: Request,
  response: Response,
  queue: FairQueue,
  { keys, bodyTimeoutMs }: BulkDependencies,
): Promise<BulkRequest | undefined> {
  const context = contextOf(response);
  const decide = async (cost: number): Promise<Admission> => {
    let decision: KeyDecision;
    try {
      decision = await checkKey(keys, request, '', cost);
    } catch (cause) {
      throw keyCheckFailed(cause);
    }
    const admission = takeDecision(context, decision, request);
    // The gate refuses every operation without a name.
    if (admission === undefined) throw new Error('a publishable key was admitted to a bulk request');
    return admission;
  };
  const standing = await decide(0);
  const { keyId, plan, before } = standing;
  const one = admit(keyId, plan, before, standing, 1);
  // Nothing is left: the body would be read for nothing.
  if (one.allowedCount === 0) takeDecision(context, one, request);
  const slices = new Slices(queue, keyId, response);
  let bulk: BulkRequest | undefined;
  try {
    bulk = await readBulk(request, slices, bodyTimeoutMs);
  } catch (refusal) {
    await decide(1);
    throw refusal;
  }
  if (bulk === undefined) return undefined;
  const count = bulk.lookups.length;
  if (plan.rate !== null && count > plan.rate.burst) {
    const message = `lookups must be at most ${plan.rate.burst}, which the plan of this key allows at once; got ${count}`;
    const details = [{ param: 'lookups', message, expected: `at most ${plan.rate.burst}` }];
    throw new DomainError('VALIDATION_FAILED', message, details);
  }
  await decide(count);
  context.lookupCount = count;
  return bulk;
}

async function readBulk(request: Request, slices: Slices, timeoutMs: number): Promise<BulkRequest | undefined> {
  const format = readBulkFormat(queryOf(request.url));
  const body = await readBulkBody(request, timeoutMs);
  if (body === undefined) return undefined;
  const { texts, shared } = body;
  const lookups: unknown[] = [];
  const isDone = await slices.run(texts.length, (index) => {
    lookups.push(parseJson(texts[index] as string));
    return undefined;
  });
  return isDone ? { slices, format, lookups, shared } : undefined;
}

async function sendEntries(
  { slices, format, lookups, shared }: BulkRequest,
  response: Response,
  lookUp: BulkLookUp,
  { renderer, logger }: BulkDependencies,
): Promise<void> {
  const context = contextOf(response);
  const { snapshot, correlationId } = context;
  const hasLines = format === 'ndjson';
  const headers = renderer.commonHeaders(context);
  headers.push('cache-control', NO_CACHE_CONTROL, 'content-type', hasLines ? LINES_TYPE : CONTENT_TYPE);
  const sender = new PieceSender(response, headers);
  const logDefect = (err: unknown): void => logger.error({ err, correlationId, route: BULK_PATH }, 'INTERNAL_ERROR');
  const { piece } = sender;
  if (!hasLines) piece.add(`${ENVELOPE_START}[`);
  const answerNext = (index: number): Promise<void> | undefined => {
    if (index > 0) piece.add(hasLines ? '\n' : ',');
    addEntry(piece, () => lookUp(snapshot, lookups[index], shared), logDefect);
    return sender.sendFull();
  };
  if (!(await slices.run(lookups.length, answerNext))) return;
  piece.add(hasLines ? '\n' : `]${envelopeEnd(correlationId)}`);
  sender.end();
}

/** Adds the entry of one lookup. Whatever the lookup throws becomes its error; a defect is logged too. */
export function addEntry(out: BufferSink, lookUp: () => ResponseData, logDefect: (error: unknown) => void): void {
  const start = out.length;
  try {
    const data = lookUp();
    out.add('{"statusCode":200,"data":');
    addData(out, data);
    out.add('}');
  } catch (thrown) {
    out.truncate(start);
    const error = toClientVisible(thrown);
    if (error.code === 'INTERNAL_ERROR') logDefect(thrown);
    out.add(encodeUtf8(JSON.stringify(describeError(error))));
  }
}
