/**
 * Sends the site's responses: one `writeHead` with all headers, and one `end`. A page made of the snapshot has a weak
 * entity tag and may be cached for an hour; a client that has it gets 304.
 */

import type { Request, Response } from 'express';
import { matchTag } from '../server/etag.js';
import type { Refusal } from '../server/refusals.js';

/*
 * The headers of every response. The Content-Security-Policy allows a page to load from its own origin only, and no
 * inline script or style; only pages on which calls are tried may call the API, which is another origin.
 * Strict-Transport-Security is left to the operator's TLS proxy.
 */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const REFERRER_POLICY = 'strict-origin-when-cross-origin';
const FIXED_HEADERS = [
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', REFERRER_POLICY],
  ...['cross-origin-opener-policy', 'same-origin'],
  ...['cross-origin-resource-policy', 'same-origin'],
  ...['permissions-policy', 'geolocation=(self), camera=(), microphone=()'],
];

/** As a flat list of names and values. */
export const PAGE_HEADERS: readonly string[] = ['content-security-policy', POLICY, ...FIXED_HEADERS];

/**
 * Of a page whose address may hold a code. (Under `no-referrer` a browser's own forms would have the Origin "null".)
 */
export const PRIVATE_HEADERS: readonly string[] = PAGE_HEADERS.map((text) =>
  text === REFERRER_POLICY ? 'same-origin' : text,
);

/** Of a script that pages of other sites load, with a check of its bytes. */
export const SHARED_HEADERS: readonly string[] = [
  ...PAGE_HEADERS.map((text, at) => (PAGE_HEADERS[at - 1] === 'cross-origin-resource-policy' ? 'cross-origin' : text)),
  ...['access-control-allow-origin', '*'],
];

/** Of a page that calls the API. */
export function callerHeaders(apiOrigin: string): readonly string[] {
  return [
    'content-security-policy',
    POLICY.replace("connect-src 'self'", `connect-src 'self' ${apiOrigin}`),
    ...FIXED_HEADERS,
  ];
}

const PAGE_LIFETIME = 'public, max-age=3600';
const FOREVER = 'public, max-age=31536000, immutable';

/** Answers 304 to a client that has the page with this tag, which need not be made to know that. */
export function sendUnchanged(
  request: Request,
  response: Response,
  tag: string,
  headers: readonly string[] = PAGE_HEADERS,
): boolean {
  const isKnown = matchTag(request.headers['if-none-match'], tag) === 'same';
  if (isKnown) sendNotModified(response, tag, headers);
  return isKnown;
}

/** A text that the snapshot determines; 304 where the client has it. */
export function sendTagged(
  request: Request,
  response: Response,
  tag: string,
  type: string,
  text: string | Buffer,
  headers: readonly string[] = PAGE_HEADERS,
): void {
  if (matchTag(request.headers['if-none-match'], tag) !== 'other') sendNotModified(response, tag, headers);
  else send(response, 200, [...headers, 'etag', tag, 'cache-control', PAGE_LIFETIME, 'content-type', type], text);
}

/** The client puts these headers in place of those it has, the page's policy among them. */
function sendNotModified(response: Response, tag: string, headers: readonly string[]): void {
  response.writeHead(304, [...headers, 'etag', tag, 'cache-control', PAGE_LIFETIME]).end();
}

/** A file whose address contains a digest of its content. */
export function sendForever(response: Response, type: string, text: string | Buffer): void {
  send(response, 200, [...PAGE_HEADERS, 'cache-control', FOREVER, 'content-type', type], text);
}

/** A response that must not be cached. */
export function sendOnce(
  response: Response,
  status: number,
  type: string,
  text: string | Buffer,
  headers: readonly string[] = [],
  always: readonly string[] = PAGE_HEADERS,
): void {
  send(response, status, [...always, ...headers, 'cache-control', 'no-store', 'content-type', type], text);
}

/** Another spelling of an address, for good. */
export function redirect(response: Response, location: string): void {
  const headers = [...PAGE_HEADERS, 'location', location, 'cache-control', PAGE_LIFETIME, 'content-length', '0'];
  response.writeHead(308, headers).end();
}

export const HTML = 'text/html; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';
export const PLAIN_TEXT = 'text/plain; charset=utf-8';

function send(response: Response, status: number, headers: string[], text: string | Buffer): void {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  headers.push('content-length', String(body.length));
  response.writeHead(status, headers).end(body);
}

/* The site's responses to requests that are refused before routing: a status and one line. */

const REFUSALS: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  malformed: [400, 'The request is not well-formed HTTP.'],
  'unencoded-url': [400, 'The URL holds a character that must be percent-encoded as UTF-8.'],
  'headers-too-large': [431, 'The URL and headers together are too large.'],
  'too-slow': [408, 'The request was not complete in time.'],
  tunnel: [405, 'This is no proxy.'],
  unroutable: [404, 'There is no page at this address.'],
  'chunk-flood': [413, 'The body has too many small chunks.'],
  'url-too-long': [414, 'The URL is too long.'],
  'no-host': [400, 'The request has no Host header.'],
  'several-hosts': [400, 'The request has more than one Host header.'],
  'chunked-upgrade': [400, 'A request with Upgrade can have no Transfer-Encoding here.'],
};

export function refusalText(refusal: Refusal): { readonly status: number; readonly text: string } {
  const [status, text] = REFUSALS[refusal];
  return { status, text: `${text}\n` };
}
