/**
 * From the service's answers to responses: the envelope's text around the data, and the headers, flat lists of names
 * and values. A success costs one hash, of the URL for the ETag; its data are neither parsed nor stringified here. HEAD
 * takes the same way; node leaves the body out.
 */

import type { Request, Response } from 'express';
import { statusOfCode } from '../api/error-codes.js';
import { DESCRIPTION_PATH } from '../api/public-operations.js';
import { CACHE_SECONDS } from '../api/service-info.js';
import type { CallerStatus, KeyLimits, KeyRefusal } from '../keys/key-decision.js';
import { entityTag, matchTag } from '../server/etag.js';
import { bodyAround, type ResponseData } from '../service/response-data.js';
import type { ByteString } from '../store/byte-string.js';
import { oncePer } from '../store/once-per.js';
import type { Snapshot } from '../store/snapshot.js';
import { type ClientVisibleError, errorBody, HttpError } from './errors.js';
import { fixedHeadersFor, recordFixedHeaders } from './fixed-headers.js';
import { pushRateLimitHeaders } from './rate-limit-headers.js';
import { send } from './sending.js';

/** What a request is given when it arrives and keeps to its end. */
export interface RequestContext {
  correlationId: string;
  /** Taken once, so that no answer mixes two snapshots. */
  snapshot: Snapshot;
  /** Where the key stands, once it was found good. */
  limits: KeyLimits | undefined;
  /**
   * The one origin whose pages may read the answer, null for none: of a publishable key, once its origins are known.
   * Undefined: pages of every origin may.
   */
  readingOrigin: string | null | undefined;
  /** The route's template, once one was found. */
  route: string | undefined;
  /** What became of the key check, and whose key it was, once that is known. */
  keyOutcome: KeyOutcome | undefined;
  keyId: string | undefined;
  /** The lookups of a bulk request that were answered. */
  lookupCount: number | undefined;
}

export type KeyOutcome = CallerStatus | KeyRefusal | 'unavailable';

/** The context of what is refused before there is a snapshot to name. */
export type EarlyContext = Pick<RequestContext, 'correlationId'> & Partial<RequestContext>;

/** Gives a response its context, of one shape for all: Express' own object for it is a dictionary. */
export function openContext(response: Response, correlationId: string, snapshot: Snapshot): RequestContext {
  const context: RequestContext = {
    correlationId,
    snapshot,
    limits: undefined,
    readingOrigin: undefined,
    route: undefined,
    keyOutcome: undefined,
    keyId: undefined,
    lookupCount: undefined,
  };
  response.locals = context as RequestContext & Record<string, unknown>;
  return context;
}

/** A response's context; the first middleware opens it. */
export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}

export interface Renderer {
  /** The headers of every response to a request, whatever its outcome. */
  commonHeaders(context: EarlyContext): string[];
  /**
   * 200 with the data in the envelope, or 304 where the client has it already; `own` are the headers of both. Throws
   * what `lookUp` throws.
   */
  sendData(request: Request, response: Response, lookUp: () => ResponseData, own?: readonly string[]): void;
  renderError(error: ClientVisibleError, context: EarlyContext): RenderedError;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: string[];
  readonly body: ByteString;
}

/** Of answers that were given to a key. */
export const CACHE_CONTROL = `private, max-age=${CACHE_SECONDS}`;
/** Of errors. */
export const NO_CACHE_CONTROL = 'no-store';
/** Every error leads to the description of the API by this link (RFC 8631). */
export const DESCRIPTION_LINK = `<${DESCRIPTION_PATH}>; rel="service-desc"; type="application/json"`;

export const CONTENT_TYPE = 'application/json; charset=utf-8';
const KEYED_HEADERS: readonly string[] = ['cache-control', CACHE_CONTROL];
export const ENVELOPE_START = '{"statusCode":200,"data":';
const ENVELOPE_MIDDLE = ',"metadata":{"correlationId":"';
const ENVELOPE_END = '"}}';

export function createRenderer(): Renderer {
  const fixedHeaders = recordFixedHeaders();
  // A release may have any name, a header may not: what is no visible ASCII is percent-encoded.
  const releaseHeader = oncePer(({ release }: Snapshot) => release.replace(/[^\x21-\x7e]/gu, encodeURIComponent));

  function commonHeaders({ correlationId, snapshot, limits, readingOrigin }: EarlyContext): string[] {
    const fixed = readingOrigin === undefined ? fixedHeaders : fixedHeadersFor(fixedHeaders, readingOrigin);
    const headers = [...fixed, 'x-correlation-id', correlationId];
    if (snapshot) headers.push('x-dataset-release', releaseHeader(snapshot));
    if (limits) pushRateLimitHeaders(headers, limits);
    return headers;
  }

  return {
    commonHeaders,

    sendData(request, response, lookUp, own = KEYED_HEADERS) {
      const context = contextOf(response);
      const tag = entityTag(context.snapshot.id, request.originalUrl);
      const match = matchTag(request.headers['if-none-match'], tag);
      const data = match === 'same' ? '' : lookUp();
      const headers = commonHeaders(context);
      headers.push(...own);
      headers.push('etag', tag);
      if (match !== 'other') {
        send(response, 304, headers, '');
        return;
      }
      headers.push('content-type', CONTENT_TYPE);
      send(response, 200, headers, bodyAround(ENVELOPE_START, data, envelopeEnd(context.correlationId)));
    },

    renderError(error, context) {
      const body = errorBody(error, context.correlationId);
      const headers = commonHeaders(context);
      if (error instanceof HttpError) headers.push(...error.headers);
      headers.push('link', DESCRIPTION_LINK, 'cache-control', NO_CACHE_CONTROL);
      headers.push('content-type', CONTENT_TYPE);
      return { status: statusOfCode[error.code], headers, body };
    },
  };
}

export function envelopeEnd(correlationId: string): string {
  return ENVELOPE_MIDDLE + correlationId + ENVELOPE_END;
}
