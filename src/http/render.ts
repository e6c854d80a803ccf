/**
 * From the service's pieces to bytes on the wire. The envelope's text surrounds the pieces in one buffer of exactly the
 * right length, so each byte is copied once, and a response is one `writeHead` with a content-length and one `end`. A
 * success costs one hash, of the URL for the ETag; its data are neither parsed nor stringified here. HEAD takes the
 * same way; node leaves the body out. Headers are flat lists of names and values, the form `writeHead` takes without a
 * detour.
 */

import type { Request, Response } from 'express';
import type { KeyLimits } from '../keys/admission.js';
import type { KeyRefusal, LimitRefusal } from '../keys/key-gate.js';
import type { JsonPieces } from '../service/json-pieces.js';
import type { Snapshot } from '../store/snapshot.js';
import { type ClientVisibleError, errorBody, HttpError, statusOfCode } from './errors.js';
import { entityTag, matchesEntityTag } from './etag.js';
import { recordFixedHeaders } from './fixed-headers.js';
import { pushRateLimitHeaders } from './rate-limit-headers.js';

/** What a request is given when it arrives and keeps to its end. */
export interface RequestContext {
  correlationId: string;
  /** Taken once, so that no answer mixes two snapshots. */
  snapshot: Snapshot;
  /** Where the key stands, once it was found good. */
  limits?: KeyLimits;
  /** The route's template, once one was found. */
  route?: string;
  /** What became of the key check, and whose key it was, once that is known. */
  keyOutcome?: KeyOutcome;
  keyId?: string;
}

export type KeyOutcome = 'allowed' | KeyRefusal | LimitRefusal | 'unavailable';

/** The context of what is refused before there is a snapshot to name. */
export type EarlyContext = Pick<RequestContext, 'correlationId'> & Partial<RequestContext>;

/** A response's context; the first middleware fills it. */
export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}

export interface Renderer {
  /** The headers of every response to a request, whatever its outcome. */
  commonHeaders(context: EarlyContext): string[];
  /** 200 with the data in the envelope, or 304 where the client has it already. */
  sendData(request: Request, response: Response, data: JsonPieces): void;
  renderError(error: ClientVisibleError, context: EarlyContext): RenderedError;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer;
}

export const CACHE_SECONDS = 3600;
/** Of answers that were given to a key. */
export const CACHE_CONTROL = `private, max-age=${CACHE_SECONDS}`;
/** Of errors. */
export const NO_CACHE_CONTROL = 'no-store';
/** Every error leads to the description of the API by this link (RFC 8631). */
export const DESCRIPTION_PATH = '/openapi.json';
export const DESCRIPTION_LINK = `<${DESCRIPTION_PATH}>; rel="service-desc"; type="application/json"`;

export const CONTENT_TYPE = 'application/json; charset=utf-8';
const ENVELOPE_START = Buffer.from('{"statusCode":200,"data":');
const ENVELOPE_MIDDLE = ',"metadata":{"correlationId":"';
const ENVELOPE_END = '"}}';

export function createRenderer(): Renderer {
  const fixedHeaders = recordFixedHeaders();
  const releaseHeaders = new WeakMap<Snapshot, string>();

  function releaseHeader(snapshot: Snapshot): string {
    let value = releaseHeaders.get(snapshot);
    if (value === undefined) {
      // A release may have any name, a header may not: what is no visible ASCII is percent-encoded.
      value = snapshot.release.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
      releaseHeaders.set(snapshot, value);
    }
    return value;
  }

  function commonHeaders({ correlationId, snapshot, limits }: EarlyContext): string[] {
    const headers = [...fixedHeaders, 'x-correlation-id', correlationId];
    if (snapshot) headers.push('x-dataset-release', releaseHeader(snapshot));
    if (limits) pushRateLimitHeaders(headers, limits);
    return headers;
  }

  return {
    commonHeaders,

    sendData(request, response, data) {
      const context = contextOf(response);
      const tag = entityTag(context.snapshot.id, request.originalUrl);
      const headers = commonHeaders(context);
      headers.push('cache-control', CACHE_CONTROL, 'etag', tag);
      if (matchesEntityTag(request.headers['if-none-match'], tag)) {
        response.writeHead(304, headers).end();
        return;
      }
      const body = joinEnvelope(data, context.correlationId);
      headers.push('content-type', CONTENT_TYPE, 'content-length', String(body.length));
      response.writeHead(200, headers).end(body);
    },

    renderError(error, context) {
      const body = errorBody(error, context.correlationId);
      const headers = commonHeaders(context);
      if (error instanceof HttpError) headers.push(...error.headers);
      headers.push('link', DESCRIPTION_LINK, 'cache-control', NO_CACHE_CONTROL);
      headers.push('content-type', CONTENT_TYPE, 'content-length', String(body.length));
      return { status: statusOfCode[error.code], headers, body };
    },
  };
}

function joinEnvelope(data: JsonPieces, correlationId: string): Buffer {
  let length = ENVELOPE_START.length + ENVELOPE_MIDDLE.length + correlationId.length + ENVELOPE_END.length;
  for (const piece of data) length += piece.length;
  const body = Buffer.allocUnsafe(length);
  body.set(ENVELOPE_START);
  let at = ENVELOPE_START.length;
  for (const piece of data) {
    if (typeof piece === 'string') {
      // ASCII has one byte for each character, and latin1 is the cheapest way to write it.
      at += body.write(piece, at, 'latin1');
    } else {
      body.set(piece, at);
      at += piece.length;
    }
  }
  body.write(ENVELOPE_MIDDLE + correlationId + ENVELOPE_END, at, 'latin1');
  return body;
}
