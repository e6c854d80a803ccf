/**
 * The bulk request. Its key is checked before its body is read, and again when its number of lookups is known, so the
 * server reads no body without a good key, and counts a request as a whole or not at all. Lookups are parsed and answered
 * in slices of half a millisecond, one slice of one client in each turn of the event loop, and the answer leaves in pieces
 * as its client reads them: a request holds its body, its lookups and one piece of its answer.
 */

import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../base/logger.js';
import { queryOf } from '../../base/query-string.js';
import { featureJson, listFeatures } from '../../core/answers/geojson.js';
import { addData, type ResponseData } from '../../core/answers/response-data.js';
import type { Service } from '../../core/answers/service.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { type BufferSink, type ByteString, encodeUtf8 } from '../../core/snapshot/byte-string.js';
import { type Admission, decideAdmission, type KeyDecision, rateCostIn } from '../../keys/decision/key-decision.js';
import type { FairQueue } from '../../server/fair-queue.js';
import { FORMAT, MEDIA_TYPES } from '../description/answer-formats.js';
import {
  BULK_PATH,
  type BulkFormat,
  type BulkLookUp,
  bindBulkOperation,
  LINES_TYPE,
  readBulkFormat,
  refuseFormat,
} from '../description/bulk-operation.js';
import { rateCostOfLookups } from '../description/rate-costs.js';
import { parseBodyJson, readBulkBody, type SplitBody } from './bulk-body.js';
import { Slices } from './bulk-slices.js';
import { describeError, HttpError, keyCheckFailedError, toClientVisible } from './http-errors.js';
import { applyKeyCheck, checkKey, type KeyGates, keyClientOf } from './key-check.js';
import { prefersGeoJson } from './negotiation.js';
import {
  CONTENT_TYPE,
  ENVELOPE_START,
  envelopeEnd,
  NO_CACHE_CONTROL,
  type Renderer,
  VARY_ACCEPT,
} from './render-response.js';
import { contextOf } from './request-context.js';
import type { ErrorSender } from './send-error.js';
import { PieceSender } from './send-response.js';

interface BulkDependencies extends KeyGates {
  readonly service: Service;
  readonly renderer: Renderer;
  readonly sendError: ErrorSender;
  readonly queue: FairQueue;
  readonly logger: Logger;
  readonly onFailure: () => void;
}

/** A request whose lookups are parsed. */
interface BulkRequest extends Pick<SplitBody, 'shared'> {
  readonly slices: Slices;
  readonly format: BulkFormat;
  /** Whether `Accept` decides on the format. */
  readonly isNegotiated: boolean;
  readonly lookups: readonly unknown[];
}

/** The POST handler of bulk requests. */
export function createBulkHandler(dependencies: BulkDependencies): RequestHandler {
  const { service, sendError } = dependencies;
  const lookUp = bindBulkOperation(service);
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

/** The request once it is counted; undefined where its client has gone. */
async function admitBulk(
  request: Request,
  response: Response,
  { queue, ...gates }: BulkDependencies,
): Promise<BulkRequest | undefined> {
  const context = contextOf(response);
  const decide = async (cost: number, rateCost?: number): Promise<Admission> => {
    let decision: KeyDecision;
    try {
      decision = await checkKey(gates, request, '', cost, rateCost);
    } catch (cause) {
      throw keyCheckFailedError(cause);
    }
    const admission = applyKeyCheck(context, decision, request);
    // The gate refuses every operation without a name.
    if (admission === undefined) throw new Error('a publishable key was admitted to a bulk request');
    return admission;
  };
  const standing = await decide(0);
  const { keyId, plan, wholePlan = plan, before } = standing;
  const one = decideAdmission(keyId, plan, before, standing, 1);
  // Nothing is left: the body would be read for nothing.
  if (one.allowedCount === 0) applyKeyCheck(context, one, request);
  const slices = new Slices(queue, keyClientOf(context, request), response);
  let bulk: BulkRequest | undefined;
  try {
    bulk = await readBulk(request, slices);
  } catch (refusal) {
    await decide(1);
    throw refusal;
  }
  if (bulk === undefined) return undefined;
  const count = bulk.lookups.length;
  const { rate } = wholePlan;
  const rateCost = rateCostIn(wholePlan, count, rateCostOfLookups(bulk.lookups));
  // What exceeds only the share of this process is a 429: it may come when the store decides again.
  if (rate !== null && rateCost > rate.burst) throw tooManyAtOnce(rate.burst, count, rateCost);
  await decide(count, rateCost);
  context.lookupCount = count;
  return bulk;
}

/** The refusal of a bulk request that no idle key of the plan could send. */
function tooManyAtOnce(burst: number, count: number, rateCost: number): DomainError {
  const costs = rateCost > count ? `, which count as ${rateCost} requests of the rate: send fewer at once` : '';
  const message = `lookups must be at most ${burst}, which the plan of this key allows at once; got ${count}${costs}`;
  return new DomainError('VALIDATION_FAILED', message, [{ param: 'lookups', message, expected: `at most ${burst}` }]);
}

async function readBulk(request: Request, slices: Slices): Promise<BulkRequest | undefined> {
  const asked = readBulkFormat(queryOf(request.url));
  const format = asked ?? (prefersGeoJson(request.headers.accept) ? 'geojson' : 'json');
  const body = await readBulkBody(request);
  if (body === undefined) return undefined;
  const { texts } = body;
  refuseFormat(body.shared);
  const shared = format === 'geojson' ? { ...body.shared, [FORMAT]: format } : body.shared;
  const lookups: unknown[] = [];
  const isDone = await slices.run(texts.length, (index) => {
    lookups.push(parseBodyJson(texts[index] as string));
    return undefined;
  });
  return isDone ? { slices, format, isNegotiated: asked === undefined, lookups, shared } : undefined;
}

/** The text around the entries, and how one entry is written. */
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
