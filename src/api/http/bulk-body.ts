/**
 * The body of a bulk request: what kind of body is read, and the lookups in it. One scan of about a millisecond splits the
 * text into its lookups, and each is parsed by itself. JSON.parse of the whole text would keep all other requests waiting:
 * 256 KiB of small objects with different keys take it 35 to 110 ms. The scan knows only strings and brackets; JSON.parse
 * reads each lookup and the text around the list, so every fault of the body is found.
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { DomainError } from '../../core/lookup/domain-error.js';
import { type BodyFault, readBody } from '../../server/read-body.js';
import type { Lookup } from '../description/bind-lookup.js';
import { BULK_BODY_TIMEOUT_MS, MAX_BULK_BYTES, MAX_LOOKUPS } from '../description/bulk-operation.js';
import { invalidParameter } from '../description/parameters.js';
import { HttpError } from './http-errors.js';

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
  /** The parameters beside the lookups. */
  readonly shared: Lookup;
}

/** The split body; undefined where the client has gone. A body that its headers condemn is refused before it is read. */
export async function readBulkBody(request: IncomingMessage): Promise<SplitBody | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!JSON_TYPE.test(type)) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8: content-type: application/json.');
  }
  if (encoding.toLowerCase() !== 'identity') {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
  }
  const body = await readBody(request, MAX_BULK_BYTES, BULK_BODY_TIMEOUT_MS);
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
  const value = parseBodyJson(rest);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidBody('an object');
  const { lookups, ...shared } = value as Lookup;
  if (Array.isArray(lookups) && lookups.length > 0) throw invalidLookups('lookups must be given once');
  if (lookups === undefined) throw invalidLookups(`lookups is required (${WHAT})`);
  if (listAt < 0 || !Array.isArray(lookups)) throw invalidLookups(`lookups must be ${WHAT}`);
  if (texts.length === 0) throw invalidLookups(`lookups must be ${WHAT}; got none`);
  return { texts, shared };
}

/** The value of a JSON text. Throws VALIDATION_FAILED. */
export function parseBodyJson(text: string): unknown {
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
