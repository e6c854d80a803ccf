/**
 * From the service's answers to responses: the envelope's text around the data, and the headers, flat lists of names
 * and values. A success costs one hash, of the URL for the ETag; its data are neither parsed nor stringified here. HEAD
 * takes the same way; node leaves the body out.
 */

import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { oncePer } from '../../base/once-per.js';
import { BufferSink, type ByteString } from '../../core/snapshot/byte-string.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { bodyAround, byteLengthOf, type ResponseBody, type ResponseData } from '../../core/use-cases/response-data.js';
import type { CallerStatus, KeyLimits, KeyRefusal } from '../../keys/key-decision.js';
import { entityTag, matchTag } from '../../server/etag.js';
import { writeStart } from '../../server/node-internals.js';
import { statusOfCode } from '../description/error-codes.js';
import { CACHE_SECONDS, DESCRIPTION_PATH } from '../description/public-operations.js';
import { fixedHeadersFor, pushRateLimitHeaders, recordFixedHeaders } from './fixed-headers.js';
import { type ClientVisibleError, errorBody, HttpError } from './http-errors.js';

/*
 * Sends a response whole, for as little as Node's HTTP can be made to take: the head and a short body go as one string
 * in one write, and the bytes of a long body from where they lie.
 */

/**
 * `headers` are a flat list of names and values, as writeStart takes them. What Node knows by itself (connection, date,
 * that HEAD and 304 have no body) stays with Node.
 */
export function send(response: ServerResponse, status: number, headers: readonly string[], body: ResponseBody): void {
  const hasBody = status !== 304;
  const bodyBytes = hasBody ? byteLengthOf(body) : undefined;
  const isSent = hasBody && response.req.method !== 'HEAD';
  if (!isSent || typeof body === 'string') {
    writeStart(response, status, bodyBytes, headers, isSent ? (body as string) : '');
    response.end();
  } else {
    writeStart(response, status, bodyBytes, headers, body.before);
    response.write(body.slice);
    response.end(body.after, 'latin1');
  }
}

/*
 * Sends a response in pieces, each when the client has read the one before, so that a client that reads slowly takes the
 * memory of one piece. A response that is one piece is sent whole, with its length. How long a client may take to read is
 * limited by its connection (connections.ts).
 */

/** Bytes after which a piece is sent: as much as Node keeps for a client before it says to wait. */
const PIECE_BYTES = 65_536;

/** Bytes of the Buffer of a piece, which is full before the entry that fills it ends. */
const PIECE_CAPACITY = 98_304;

/** Maximum number of Buffers that are kept for later responses: more responses than that are rarely sent at a time. */
const MAX_SPARE_PIECES = 8;

/** Maximum bytes of a Buffer that is kept: few pieces take more. */
const MAX_SPARE_CAPACITY = 262_144;

/** Making a Buffer for each response would cost ten lookups. */
const sparePieces: BufferSink[] = [];

export class PieceSender {
  /** For the caller to add to. */
  readonly piece = sparePieces.pop() ?? new BufferSink(PIECE_CAPACITY);

  /** `headers` are a flat list of names and values, as writeStart takes them. */
  constructor(
    private readonly response: ServerResponse,
    private readonly headers: readonly string[],
  ) {}

  /** Sends the piece if it is full. Returns a promise where the client has to read it first, or to go. */
  sendFull(): Promise<void> | undefined {
    const { response, piece } = this;
    if (piece.length < PIECE_BYTES) return undefined;
    if (!response.headersSent) writeStart(response, 200, undefined, this.headers, '');
    // Uncorked at once, Node tells whether the kernel has taken it all, and the next piece can have the same Buffer.
    response.cork();
    response.write(piece.bytes);
    response.uncork();
    piece.truncate(0);
    if (response.writableLength === 0 || response.destroyed) return undefined;
    return new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }

  /** Sends the rest. The piece must not be used any more. */
  end(): void {
    const { response, piece } = this;
    // The kernel has it all then.
    response.once('finish', () => keepSpare(piece));
    if (response.headersSent) response.end(piece.bytes);
    else send(response, 200, this.headers, { before: '', slice: piece.bytes, after: '' });
  }
}

function keepSpare(piece: BufferSink): void {
  if (piece.capacity > MAX_SPARE_CAPACITY || sparePieces.length === MAX_SPARE_PIECES) return;
  piece.truncate(0);
  sparePieces.push(piece);
}

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

export type KeyOutcome = CallerStatus | KeyRefusal | 'unavailable' | 'keyless' | 'keyless-limited';

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

export type Renderer = ReturnType<typeof createRenderer>;

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
export const KEYED_HEADERS: readonly string[] = ['cache-control', CACHE_CONTROL];
export const VARY_ACCEPT: readonly string[] = ['vary', 'Accept'];
export const ENVELOPE_START = '{"statusCode":200,"data":';
const ENVELOPE_MIDDLE = ',"metadata":{"correlationId":"';
const ENVELOPE_END = '"}}';

/** How the data of an answer become a body. */
export interface AnswerForm {
  readonly contentType: string;
  /** Adds to the flat list of headers what they tell of the data. */
  readonly render: (data: ResponseData, correlationId: string, headers: string[]) => ResponseBody;
}

export const JSON_FORM: AnswerForm = {
  contentType: CONTENT_TYPE,
  render: (data, correlationId) => bodyAround(ENVELOPE_START, data, envelopeEnd(correlationId)),
};

export interface SendOptions {
  /** The headers of a success and of a 304. */
  readonly own?: readonly string[];
  /** What the data come from beside the snapshot and the URL. */
  readonly source?: string;
  /** Default: the envelope. */
  readonly form?: AnswerForm | undefined;
}

export function createRenderer() {
  const fixedHeaders = recordFixedHeaders();
  // A release may have any name, a header may not: what is no visible ASCII is percent-encoded.
  const releaseHeader = oncePer(({ release }: Snapshot) => release.replace(/[^\x21-\x7e]/gu, encodeURIComponent));

  /** The headers of every response to a request, whatever its outcome. */
  function commonHeaders({ correlationId, snapshot, limits, readingOrigin }: EarlyContext): string[] {
    const fixed = readingOrigin === undefined ? fixedHeaders : fixedHeadersFor(fixedHeaders, readingOrigin);
    const headers = [...fixed, 'x-correlation-id', correlationId];
    if (snapshot) headers.push('x-dataset-release', releaseHeader(snapshot));
    if (limits) pushRateLimitHeaders(headers, limits);
    return headers;
  }

  return {
    commonHeaders,

    /** 200 with the data, or 304 where the client has it already. Throws what `lookUp` and the form throw. */
    sendData(request: Request, response: Response, lookUp: () => ResponseData, options: SendOptions): void {
      const { own = KEYED_HEADERS, source = '', form = JSON_FORM } = options;
      const context = contextOf(response);
      const tag = entityTag(context.snapshot.id, request.originalUrl + source);
      const match = matchTag(request.headers['if-none-match'], tag);
      const data = match === 'same' ? '' : lookUp();
      const headers = commonHeaders(context);
      headers.push(...own);
      headers.push('etag', tag);
      if (match !== 'other') {
        send(response, 304, headers, '');
        return;
      }
      headers.push('content-type', form.contentType);
      send(response, 200, headers, form.render(data, context.correlationId, headers));
    },

    renderError(error: ClientVisibleError, context: EarlyContext, renderBody = errorBody): RenderedError {
      const body = renderBody(error, context.correlationId);
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
