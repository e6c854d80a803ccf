/**
 * From the service's answers to responses: the envelope's text around the data, and the headers, flat lists of names
 * and values. A success costs one hash, of the URL for the ETag; its data are neither parsed nor stringified here. HEAD
 * takes the same way; node leaves the body out.
 */

import type { Request, Response } from 'express';
import { oncePer } from '../../base/once-per.js';
import { bodyAround, type ResponseBody, type ResponseData } from '../../core/answers/response-data.js';
import type { ByteString } from '../../core/snapshot/byte-string.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { entityTag, matchTag } from '../../server/etag.js';
import { statusOfCode } from '../description/error-codes.js';
import { DESCRIPTION_PATH } from '../description/public-operations.js';
import { fixedHeadersFor, recordFixedHeaders } from './fixed-headers.js';
import { type ClientVisibleError, errorBody, HttpError } from './http-errors.js';
import { pushRateLimitHeaders } from './rate-limit-headers.js';
import { contextOf, type EarlyContext } from './request-context.js';
import { send } from './send-response.js';

export type Renderer = ReturnType<typeof createRenderer>;

interface RenderedError {
  readonly status: number;
  readonly headers: string[];
  readonly body: ByteString;
}

/** How long a client may keep an answer, seconds: releases come weeks apart. */
export const CACHE_SECONDS = 3600;
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
  /** May add headers about the data to the flat list. */
  readonly render: (data: ResponseData, correlationId: string, headers: string[]) => ResponseBody;
}

export const JSON_FORM: AnswerForm = {
  contentType: CONTENT_TYPE,
  render: (data, correlationId) => bodyAround(ENVELOPE_START, data, envelopeEnd(correlationId)),
};

interface SendOptions {
  /** The headers of a success and of a 304. */
  readonly own?: readonly string[];
  /** What the data depend on beside the snapshot and the URL; part of the ETag. */
  readonly source?: string;
  /** Default: the envelope. */
  readonly form?: AnswerForm | undefined;
}

/** `tagSuffix`: see AppDependencies. */
export function createRenderer(tagSuffix = '') {
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

    /** 200 with the data, or 304 where the client has it already. */
    sendData(request: Request, response: Response, lookUp: () => ResponseData, options: SendOptions): void {
      const { own = KEYED_HEADERS, source = '', form = JSON_FORM } = options;
      const context = contextOf(response);
      const tag = entityTag(context.snapshot.id, request.originalUrl + source + tagSuffix);
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
