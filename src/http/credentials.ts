/**
 * Which key a request has sent, and who sent it. A key comes in the header `x-api-key`; a publishable key may come as the
 * query parameter `key` instead, so that a web page needs no preflight. A secret key in a URL is refused: URLs are in
 * histories, logs and referrers. Where the header is there, the URL is not looked at.
 */
import { hash } from 'node:crypto';
import type { Request } from 'express';
import { isLikeSecretKey, isPublishableKey } from '../keys/api-key.js';
import type { Caller } from '../keys/key-decision.js';
import { readOrigin } from '../keys/restrictions.js';
import { clientAddress } from '../server/client-address.js';
import { CUSTOMER_BYTES, networkOf } from '../server/client-network.js';
import { decodeQueryComponent, findPieces, pieceValue, queryOf } from '../server/target.js';

/** The query parameter of a publishable key. */
export const KEY_PARAMETER = 'key';
/** Number of hexadecimal digits of a visitor's tag: 64 bits are unique among the visitors of any key. */
const VISITOR_TAG_LENGTH = 16;
/** A key in the URL that others can have read. */
export const LEAKED = Symbol('a secret key in the URL');

/** The text that the request sent as its key; undefined for none. */
export function keyOf(request: Request): string | typeof LEAKED | undefined {
  const header = request.headers['x-api-key'];
  // node joins a repeated header to "a, b", which is no key.
  const text = Array.isArray(header) ? header.join(', ') : header;
  return text === undefined || text === '' ? keyInUrl(queryOf(request.url)) : text;
}

/** Whether the URL has a publishable key. */
export function hasPublishableKey(request: Request): boolean {
  const key = keyInUrl(queryOf(request.url));
  return typeof key === 'string';
}

/** Undefined unless there is a publishable key, or what is like a secret key. */
function keyInUrl(query: string): string | typeof LEAKED | undefined {
  if (query === '') return undefined;
  const texts = findPieces(query, KEY_PARAMETER).map((piece) => decodeQueryComponent(pieceValue(piece)) ?? '');
  if (texts.some(isLikeSecretKey)) return LEAKED;
  // Two keys, joined like those of two headers, are none.
  return texts.some(isPublishableKey) ? texts.join(', ') : undefined;
}

/** The caller of a request with a publishable key. `operation` is empty for one that no such key may call. */
export function callerOf(request: Request, key: string, operation: string): Caller | undefined {
  if (!isPublishableKey(key)) return undefined;
  const origin = readOrigin(request.headers.origin) ?? '';
  return { origin, operation, visitor: visitorOf(clientAddress(request)) };
}

/** The tag of the visitor with this address: stores never hold the address. */
function visitorOf(address: string | undefined): string {
  return hash('sha256', networkOf(address, CUSTOMER_BYTES), 'hex').slice(0, VISITOR_TAG_LENGTH);
}
