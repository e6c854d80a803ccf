/**
 * The bulk request. Its key is checked before its body is read, and again when its number of lookups is known, so the
 * server reads no body without a good key, and counts a request as a whole or not at all. Lookups are parsed and answered
 * in slices of half a millisecond, one slice of one key in each turn of the event loop, and the answer leaves in pieces
 * as its client reads them: a request holds its body, its lookups and one piece of its answer.
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../base/logger.js';
import { queryOf } from '../../base/query-string.js';
import { type BufferSink, type ByteString, encodeUtf8 } from '../../core/snapshot/byte-string.js';
import { DomainError } from '../../core/use-cases/domain-error.js';
import { addData, type ResponseData } from '../../core/use-cases/response-data.js';
import type { Service } from '../../core/use-cases/service.js';
import { featureJson, listFeatures } from '../../core/use-cases/tables.js';
import { type Admission, admit, type KeyDecision } from '../../keys/key-decision.js';
import { type BodyFault, type FairQueue, readBody } from '../../server/body.js';
import {
  BULK_PATH,
  type BulkFormat,
  type BulkLookUp,
  bindLookups,
  LINES_TYPE,
  MAX_BULK_BYTES,
  MAX_LOOKUPS,
  readBulkFormat,
  refuseFormat,
} from '../description/bulk-operation.js';
import { FORMAT, MEDIA_TYPES } from '../description/formats.js';
import { invalidParameter, type Lookup } from '../description/lookup.js';
import { rateCostOfLookups } from '../description/rate-costs.js';
import { describeError, HttpError, keyCheckFailed, toClientVisible } from './http-errors.js';
import { checkKey, clientOf, type KeyGates, takeDecision } from './key-check.js';
import { prefersGeoJson } from './negotiation.js';
import {
  CONTENT_TYPE,
  contextOf,
  ENVELOPE_START,
  envelopeEnd,
  NO_CACHE_CONTROL,
  PieceSender,
  type Renderer,
  VARY_ACCEPT,
} from './render.js';
import type { ErrorSender } from './route-handler.js';

/*
 * The body of a bulk request: what kind of body is read, and the lookups in it. One scan of about a millisecond
 * splits the text into its lookups, and each is parsed by itself. JSON.parse of the whole text would keep all other
 * requests waiting: 256 KiB of small objects with different keys take it 35 to 110 ms. The scan knows only strings and
 * brackets; JSON.parse reads each lookup and the text around the list, so every fault of the body is found.
 */

/**
 * Maximum number of characters of a lookup, and of the text around the list: a path has at most 1,000, which are 6,000 if
 * all are escaped. Parsing as many takes at most 2 ms. The limit bounds the depth too.
 */
const MAX_LOOKUP_CHARACTERS = 8_192;

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
const WHAT = `a list of 1 to ${MAX_LOOKUPS.toLocaleString('en-US')} lookups`;

const BOUNDED_OBJECT = `an object with lookups, ${WHAT}, and at most ${MAX_LOOKUP_CHARACTERS.toLocaleString('en-US')} characters beside them, spaces too`;
/** Some programs write it at the start of UTF-8; JSON allows none (RFC 8259, 8.1). */
const BYTE_ORDER_MARK = '\ufeff';

/** A body before its lookups are parsed. */
export interface SplitBody {
  /** The JSON text of each lookup. */
  readonly texts: readonly string[];
  /** What stands beside the lookups. */
  readonly shared: Lookup;
}

/**
 * The split body; undefined where the client has gone. Throws why the body is refused, before it is read where the
 * headers tell.
 */
export async function readBulkBody(request: IncomingMessage, timeoutMs: number): Promise<SplitBody | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!JSON_TYPE.test(type)) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8: content-type: application/json.');
  }
  if (encoding.toLowerCase() !== 'identity') {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
  }
  const body = await readBody(request, MAX_BULK_BYTES, timeoutMs);
  if (Buffer.isBuffer(body)) return splitBody(body);
  if (body.fault !== 'gone') throw bodyFaults[body.fault]();
  return undefined;
}

const bodyFaults: Readonly<Record<Exclude<BodyFault, 'gone'>, () => HttpError>> = {
  'too-large': () =>
    new HttpError('PAYLOAD_TOO_LARGE', `The body is longer than ${MAX_BULK_BYTES.toLocaleString('en-US')} bytes.`),
  'too-slow': () => new HttpError('REQUEST_TIMEOUT', 'The body was not complete in time.'),
};

/** Splits the text of a body. Throws VALIDATION_FAILED for what is no object with a list of lookups. */
export function splitBody(body: Buffer): SplitBody {
  if (!isUtf8(body)) throw invalidBody('UTF-8');
  const text = body.toString('utf8');
  if (text.startsWith(BYTE_ORDER_MARK)) throw invalidBody('JSON without a byte order mark before it');
  const listAt = findList(text);
  const { texts, end } = listAt < 0 ? { texts: [], end: 0 } : splitList(text, listAt);
  // An empty list stands in for the one that was split.
  const rest = listAt < 0 ? text : `${text.slice(0, listAt)}[]${text.slice(end)}`;
  if (rest.length > MAX_LOOKUP_CHARACTERS) throw invalidBody(BOUNDED_OBJECT);
  const value = parseJson(rest);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidBody('an object');
  const { lookups, ...shared } = value as Lookup;
  if (Array.isArray(lookups) && lookups.length > 0) throw invalidLookups('lookups must be given once');
  if (lookups === undefined) throw invalidLookups(`lookups is required (${WHAT})`);
  if (listAt < 0 || !Array.isArray(lookups)) throw invalidLookups(`lookups must be ${WHAT}`);
  if (texts.length === 0) throw invalidLookups(`lookups must be ${WHAT}; got none`);
  return { texts, shared };
}

/** The value of a JSON text. Throws VALIDATION_FAILED. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidBody('JSON');
  }
}

function invalidBody(expected: string): DomainError {
  return invalidParameter('body', `the body must be ${expected}`, expected);
}

function invalidLookups(message: string, expected = WHAT): DomainError {
  return invalidParameter('lookups', message, expected);
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LIST_VALUE = /[ \t\r\n]*:[ \t\r\n]*(?=\[)/y;

/** Where the list under the key `lookups` of the outermost object begins; -1 where there is none near the start. */
function findList(text: string): number {
  let depth = 0;
  for (let at = 0; at < Math.min(text.length, MAX_LOOKUP_CHARACTERS); at++) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth++;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth--;
    if (unit !== QUOTE) continue;
    const start = at;
    at = endOfString(text, at);
    LIST_VALUE.lastIndex = at + 1;
    if (depth === 1 && text.slice(start, at + 1) === '"lookups"' && LIST_VALUE.test(text)) return LIST_VALUE.lastIndex;
  }
  return -1;
}

/** The texts between the commas of the list that begins at `listAt`, and where it ends. */
function splitList(text: string, listAt: number): { readonly texts: string[]; readonly end: number } {
  const texts: string[] = [];
  let start = listAt + 1;
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth++;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth--;
    if (at - start > MAX_LOOKUP_CHARACTERS) throw tooLong(texts.length);
    if (depth > 1 || (depth === 1 && unit !== COMMA)) continue;
    const lookup = text.slice(start, at);
    if (depth === 0 && texts.length === 0 && lookup.trim() === '') return { texts, end: at + 1 };
    if (texts.length === MAX_LOOKUPS) throw invalidLookups(`lookups must be ${WHAT}; got more`);
    texts.push(lookup);
    if (depth === 0 && unit === CLOSE_LIST) return { texts, end: at + 1 };
    if (depth === 0) break;
    start = at + 1;
  }
  throw invalidBody('JSON');
}

function tooLong(index: number): DomainError {
  const most = `${MAX_LOOKUP_CHARACTERS.toLocaleString('en-US')} characters`;
  return invalidLookups(`lookup ${index + 1} is longer than ${most}`, `at most ${most} for each lookup`);
}

/** Where the string that begins at `start` has its closing quote; the end of the text where it has none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at++;
  }
  return text.length;
}

/*
 * Many small steps for one request in slices of half a millisecond, between which every other client is served: one
 * slice of one key in each turn of the event loop, however many requests the key has.
 */

/**
 * Milliseconds of a slice: a delay that nobody notices. Slices twice as long double the delay and save no processor time
 * that can be measured. A slice ends after the step in hand.
 */
const SLICE_MS = 0.5;

export class Slices {
  constructor(
    private readonly queue: FairQueue,
    /** Whose turn it is: slices of one client wait for each other. */
    private readonly client: string,
    private readonly response: Response,
  ) {}

  /**
   * Calls `step` with each index below `count`; where it returns a promise, the slice ends and the next one waits for it.
   * Resolves with false where the client has gone before the last step. Rejects with what a step throws.
   */
  async run(count: number, step: (index: number) => Promise<void> | undefined): Promise<boolean> {
    for (let index = 0; index < count; ) {
      await this.queue.enter(this.client);
      if (this.response.destroyed) return false;
      const endMs = performance.now() + SLICE_MS;
      let waiting: Promise<void> | undefined;
      do waiting = step(index++);
      while (waiting === undefined && index < count && performance.now() < endMs);
      await waiting;
    }
    return true;
  }
}

export interface BulkDependencies extends KeyGates {
  readonly service: Service;
  readonly renderer: Renderer;
  readonly sendError: ErrorSender;
  readonly queue: FairQueue;
  readonly logger: Logger;
  readonly onFailure: () => void;
  readonly bodyTimeoutMs: number;
}

/** A request whose lookups are parsed. */
interface BulkRequest extends Pick<SplitBody, 'shared'> {
  readonly slices: Slices;
  readonly format: BulkFormat;
  /** Whether `Accept` has a say in the format. */
  readonly isNegotiated: boolean;
  readonly lookups: readonly unknown[];
}

/** The POST handler of bulk requests. */
export function createBulkHandler(dependencies: BulkDependencies): RequestHandler {
  const { service, sendError } = dependencies;
  const lookUp = bindLookups(service);
  return async (request, response) => {
    contextOf(response).route = BULK_PATH;
    try {
      const bulk = await admitBulk(request, response, dependencies);
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
  { bodyTimeoutMs, queue, ...gates }: BulkDependencies,
): Promise<BulkRequest | undefined> {
  const context = contextOf(response);
  const decide = async (cost: number, rateCost?: number): Promise<Admission> => {
    let decision: KeyDecision;
    try {
      decision = await checkKey(gates, request, '', cost, rateCost);
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
  const slices = new Slices(queue, clientOf(context, request), response);
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
  await decide(count, rateCostOfLookups(bulk.lookups));
  context.lookupCount = count;
  return bulk;
}

async function readBulk(request: Request, slices: Slices, timeoutMs: number): Promise<BulkRequest | undefined> {
  const asked = readBulkFormat(queryOf(request.url));
  const format = asked ?? (prefersGeoJson(request.headers.accept) ? 'geojson' : 'json');
  const body = await readBulkBody(request, timeoutMs);
  if (body === undefined) return undefined;
  const { texts } = body;
  refuseFormat(body.shared);
  const shared = format === 'geojson' ? { ...body.shared, [FORMAT]: format } : body.shared;
  const lookups: unknown[] = [];
  const isDone = await slices.run(texts.length, (index) => {
    lookups.push(parseJson(texts[index] as string));
    return undefined;
  });
  return isDone ? { slices, format, isNegotiated: asked === undefined, lookups, shared } : undefined;
}

/** What stands around the entries, and the entry of one lookup. */
interface BulkForm {
  readonly contentType: string;
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  readonly add: (out: BufferSink, lookUp: () => ResponseData, logDefect: DefectLogger, index: number) => void;
}

type DefectLogger = (error: unknown) => void;

function formsFor(correlationId: string): Readonly<Record<BulkFormat, BulkForm>> {
  const end = `]${envelopeEnd(correlationId)}`;
  const FEATURES = '{"type":"FeatureCollection","features":[';
  return {
    json: { contentType: CONTENT_TYPE, start: `${ENVELOPE_START}[`, separator: ',', end, add: addEntry },
    ndjson: { contentType: LINES_TYPE, start: '', separator: '\n', end: '\n', add: addEntry },
    geojson: { contentType: MEDIA_TYPES.geojson, start: FEATURES, separator: ',', end, add: addFeatures },
  };
}

async function sendEntries(
  { slices, format, isNegotiated, lookups, shared }: BulkRequest,
  response: Response,
  lookUp: BulkLookUp,
  { renderer, logger, onFailure }: BulkDependencies,
): Promise<void> {
  const context = contextOf(response);
  const { snapshot, correlationId } = context;
  const { contentType, start, separator, end, add } = formsFor(correlationId)[format];
  const headers = renderer.commonHeaders(context);
  headers.push('cache-control', NO_CACHE_CONTROL, 'content-type', contentType, ...(isNegotiated ? VARY_ACCEPT : []));
  const sender = new PieceSender(response, headers);
  const logDefect = (err: unknown): void => {
    onFailure();
    logger.error({ err, correlationId, route: BULK_PATH }, 'INTERNAL_ERROR');
  };
  const { piece } = sender;
  piece.add(start);
  let isFirst = true;
  const answerNext = (index: number): Promise<void> | undefined => {
    const before = piece.length;
    if (!isFirst) piece.add(separator);
    const entryStart = piece.length;
    add(piece, () => lookUp(snapshot, lookups[index], shared), logDefect, index);
    // A list of no features has nothing to separate.
    if (piece.length === entryStart) piece.truncate(before);
    else isFirst = false;
    return sender.sendFull();
  };
  if (!(await slices.run(lookups.length, answerNext))) return;
  piece.add(end);
  sender.end();
}

/** Adds the entry of one lookup. Whatever the lookup throws becomes its error; a defect is logged too. */
export function addEntry(out: BufferSink, lookUp: () => ResponseData, logDefect: DefectLogger): void {
  const start = out.length;
  try {
    const data = lookUp();
    out.add('{"statusCode":200,"data":');
    addData(out, data);
    out.add('}');
  } catch (thrown) {
    out.truncate(start);
    out.add(encodeUtf8(JSON.stringify(describeFailure(thrown, logDefect))));
  }
}

/** Adds the features of one lookup, with its index; its error is a feature without a position. */
function addFeatures(out: BufferSink, lookUp: () => ResponseData, logDefect: DefectLogger, lookup: number): void {
  let features: readonly ByteString[];
  try {
    features = listFeatures(lookUp(), { lookup });
  } catch (thrown) {
    features = [featureJson(encodeUtf8(JSON.stringify({ ...describeFailure(thrown, logDefect), lookup })))];
  }
  out.add(features.join());
}

function describeFailure(thrown: unknown, logDefect: DefectLogger): object {
  const error = toClientVisible(thrown);
  if (error.code === 'INTERNAL_ERROR') logDefect(thrown);
  return describeError(error);
}
