/**
 * How the site answers: one `writeHead` with all headers, and one `end`. What a snapshot determines has a weak entity tag
 * of the snapshot and of this program, and may be kept for an hour by anybody; a client that has it is told so before
 * anything is rendered.
 */
import type { Request, Response } from 'express';
import { PAGE_HEADERS } from './headers.js';

const PAGE_LIFETIME = 'public, max-age=3600';
const FOREVER = 'public, max-age=31536000, immutable';

/** Whether the client has what this tag names already (RFC 9110, 13.1.2); then it is told so. */
export function answerNotModified(request: Request, response: Response, tag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  const isKnown =
    known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag.slice(2));
  if (isKnown) response.writeHead(304, [...PAGE_HEADERS, 'etag', tag, 'cache-control', PAGE_LIFETIME]).end();
  return isKnown;
}

/** A text that the snapshot determines. */
export function sendTagged(
  response: Response,
  tag: string,
  type: string,
  text: string | Buffer,
  headers: readonly string[] = PAGE_HEADERS,
): void {
  send(response, 200, [...headers, 'etag', tag, 'cache-control', PAGE_LIFETIME, 'content-type', type], text);
}

/** What lies at an address that changes with its content. */
export function sendForever(response: Response, type: string, text: string | Buffer): void {
  send(response, 200, [...PAGE_HEADERS, 'cache-control', FOREVER, 'content-type', type], text);
}

/** What is for this request alone. */
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

function send(response: Response, status: number, headers: string[], text: string | Buffer): void {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  headers.push('content-length', String(body.length));
  response.writeHead(status, headers).end(body);
}
