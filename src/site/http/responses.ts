/**
 * Sends the site's responses: one `writeHead` with all headers, and one `end`. A page made of the snapshot has a weak
 * entity tag and may be cached for a while; a client that has it gets 304.
 */

import type { Request, Response } from 'express';
import { matchTag } from '../../server/etag.js';

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
 * For pages whose address may contain a code. (With `no-referrer`, the forms of the page would send the Origin "null".)
 */
export const PRIVATE_HEADERS: readonly string[] = PAGE_HEADERS.map((text) =>
  text === REFERRER_POLICY ? 'same-origin' : text,
);

/** For scripts that pages of other sites load with an `integrity` check. */
export const SHARED_HEADERS: readonly string[] = [
  ...PAGE_HEADERS.map((text, at) => (PAGE_HEADERS[at - 1] === 'cross-origin-resource-policy' ? 'cross-origin' : text)),
  ...['access-control-allow-origin', '*'],
];

/** For pages that call the API. */
export function callerHeaders(apiOrigin: string): readonly string[] {
  return [
    'content-security-policy',
    POLICY.replace("connect-src 'self'", `connect-src 'self' ${apiOrigin}`),
    ...FIXED_HEADERS,
  ];
}

/**
 * A browser asks again after a minute, so that a reader soon sees a new snapshot, as when the world follows the first
 * countries; an answer without the page costs little. Proxies keep pages for an hour.
 */
const PAGE_LIFETIME = 'public, max-age=60, s-maxage=3600';
const FOREVER = 'public, max-age=31536000, immutable';

/** Answers 304, without rendering, to a client that has the page with this tag; false if the client has it not. */
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

/** Sends bytes with an entity tag; 304 if the client has them. */
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

/** The client replaces the headers that it stored by these, the page's policy among them. */
function sendNotModified(response: Response, tag: string, headers: readonly string[]): void {
  response.writeHead(304, [...headers, 'etag', tag, 'cache-control', PAGE_LIFETIME]).end();
}

/** Sends a file whose address contains a digest of its content. */
export function sendForever(response: Response, type: string, text: string | Buffer): void {
  send(response, 200, [...PAGE_HEADERS, 'cache-control', FOREVER, 'content-type', type], text);
}

/** Sends a response that must not be cached. */
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

/** Redirects another spelling of an address permanently. */
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

/** Redirects after a form; the browser requests `path` with GET. */
export function redirectAfterForm(
  response: Response,
  path: string,
  ...cookies: readonly (readonly [string, string])[]
): void {
  const headers = ['location', path, 'cache-control', 'no-store', 'content-length', '0', ...cookies.flat()];
  response.writeHead(303, [...PRIVATE_HEADERS, ...headers]).end();
}
