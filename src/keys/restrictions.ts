/**
 * What binds a publishable key: the origins of the web pages that may use it, the operations that it may call, and the
 * rate of each visitor. A secret key has no restrictions. Everything from a store, a file or a person passes the parsers
 * here; origins are kept as browsers send them in `Origin`: lower case, without the default port, path or user.
 *
 *     {"origins": ["https://shop.example", "https://*.shop.example"], "operations": ["autocomplete", "checkPostcode"],
 *      "visitorRate": {"requests": 300, "seconds": 86400}}
 *
 * `https://*.shop.example` allows every origin below `shop.example`, at any depth as in a Content Security Policy
 * (https://www.w3.org/TR/CSP3/#match-hosts), with the same scheme and port, and not `https://shop.example` itself.
 * redis-scripts.ts has the same rule in Lua.
 */

import { InvalidValueError } from '../base/errors.js';
import { type Rate, shareOfRate } from '../base/rate-limit.js';

export interface Restrictions {
  /** 1 to 10, each once. */
  readonly origins: readonly string[];
  /** Ids of operations as the description of the API has them, each once. */
  readonly operations: readonly string[];
  readonly visitorRate: VisitorRate;
}

/** How often one visitor may ask: `requests` at once, and as many in every `seconds` in the long run. */
export interface VisitorRate {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Requests of one visitor, by default: with 300 at once and 300 a day, one visitor stays below the 10,000 requests that
 * the plan `free` has a month, and somebody who fills in a form needs about 20.
 */
export const DEFAULT_VISITOR_RATE: VisitorRate = Object.freeze({ requests: 300, seconds: 86_400 });

export const MAX_ORIGINS = 10;
/** Maximum number of operations of a key: more than the API has. */
const MAX_OPERATIONS = 50;
/** Maximum number of requests of a visitor's rate: far above what a form needs. */
const MAX_VISITOR_REQUESTS = 100_000;
/** Maximum number of characters of an origin: a host name has at most 253. */
const MAX_ORIGIN_CHARACTERS = 300;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const UNIT_NAMES: Readonly<Record<number, string>> = { 1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day' };
const VISITOR_RATE_FORM = /^(\d{1,6})\/([smhd])$/;
const OPERATION_FORM = /^[a-z][A-Za-z]{0,39}$/;
/** Before the URL parser, which also takes a lone slash, backslashes and white space. */
const WRITTEN_ORIGIN = /^https?:\/\/[^\s\\/?#@]+\/?$/i;
/** What an `Origin` header of a web page looks like. No wildcard fits it. */
const SENT_ORIGIN = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const WILDCARD = '*.';
const WILDCARD_ORIGIN = /^(https?:\/\/)\*(\..+)$/;

/** The text of an `Origin` header; undefined where it can be no origin of a web page, such as `null`. */
export function readOrigin(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_ORIGIN_CHARACTERS) return undefined;
  return SENT_ORIGIN.test(header) ? header : undefined;
}

/** Whether one of the key's origins is this one, which readOrigin has read. */
export function allowsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.some((allowed) => {
    if (allowed === origin) return true;
    const [, scheme, parent] = WILDCARD_ORIGIN.exec(allowed) ?? [];
    if (scheme === undefined || parent === undefined) return false;
    return origin.length > scheme.length + parent.length && origin.startsWith(scheme) && origin.endsWith(parent);
  });
}

/** An origin as somebody writes it, in the form that browsers send. Throws InvalidValueError. */
export function parseOrigin(text: string): string {
  const url = WRITTEN_ORIGIN.test(text) && text.length <= MAX_ORIGIN_CHARACTERS ? URL.parse(text) : null;
  if (url === null) throw badOrigin();
  const { protocol, host, hostname } = url;
  const isWildcard = hostname.startsWith(WILDCARD);
  const parent = isWildcard ? hostname.slice(WILDCARD.length) : hostname;
  const origin = `${protocol}//${host}`;
  if (readOrigin(`${protocol}//${isWildcard ? host.slice(WILDCARD.length) : host}`) === undefined) throw badOrigin();
  if (isWildcard && !parent.includes('.') && parent !== 'localhost') {
    throw new InvalidValueError(`an origin can't stand for every site: ${origin} needs a domain of your own`);
  }
  return origin;
}

/** Origins as somebody writes them. Throws InvalidValueError. */
export function parseOrigins(texts: readonly string[]): readonly string[] {
  const origins = [...new Set(texts.map(parseOrigin))];
  if (origins.length >= 1 && origins.length <= MAX_ORIGINS) return origins;
  throw new InvalidValueError(`a publishable key needs 1 to ${MAX_ORIGINS} origins`);
}

/** A rate such as `300/d`. Throws InvalidValueError. */
export function parseVisitorRate(text: string): VisitorRate {
  const [, requests, unit = ''] = VISITOR_RATE_FORM.exec(text) ?? [];
  return checkVisitorRate({ requests: Number(requests), seconds: UNIT_SECONDS[unit] });
}

/** As parseVisitorRate takes it. */
export function formatVisitorRate({ requests, seconds }: VisitorRate): string {
  const [unit] = Object.entries(UNIT_SECONDS).find(([, length]) => length === seconds) ?? [];
  return `${requests}/${unit}`;
}

/** For people: `minute`. */
export function unitOf({ seconds }: VisitorRate): string {
  return UNIT_NAMES[seconds] ?? `${seconds} seconds`;
}

/** The rate as key-decision.ts takes it. */
export function rateOf({ requests, seconds }: VisitorRate): Rate {
  return { requestsPerSecond: requests / seconds, burst: requests };
}

/** The same restrictions for each of `count` processes that know nothing of each other's visitors. */
export function shareOfRestrictions(restrictions: Restrictions, count: number): Restrictions {
  const { requestsPerSecond, burst } = shareOfRate(rateOf(restrictions.visitorRate), count);
  return { ...restrictions, visitorRate: { requests: burst, seconds: burst / requestsPerSecond } };
}

/** Checks every field and returns frozen restrictions of these fields alone. Throws InvalidValueError. */
export function parseRestrictions(value: unknown): Restrictions {
  const { origins, operations, visitorRate } = parseObject(value, 'the restrictions of a key');
  const parsed = parseOrigins(parseTexts(origins, 'origins'));
  const names = parseTexts(operations, 'operations');
  if (names.length === 0 || names.length > MAX_OPERATIONS || !names.every((name) => OPERATION_FORM.test(name))) {
    throw new InvalidValueError('a publishable key needs the names of the operations that it may call');
  }
  return Object.freeze({
    origins: Object.freeze(parsed),
    operations: Object.freeze([...new Set(names)]),
    visitorRate: checkVisitorRate(parseObject(visitorRate, 'a visitor rate')),
  });
}

function checkVisitorRate({ requests, seconds }: Readonly<Record<string, unknown>>): VisitorRate {
  const isSound =
    Number.isInteger(requests) && (requests as number) >= 1 && (requests as number) <= MAX_VISITOR_REQUESTS;
  if (isSound && Object.values(UNIT_SECONDS).some((length) => length === seconds)) {
    return Object.freeze({ requests: requests as number, seconds: seconds as number });
  }
  throw new InvalidValueError(
    `a visitor rate must be 1 to ${MAX_VISITOR_REQUESTS.toLocaleString('en-US')} requests a second, minute, hour or day, such as 10/s, 60/m, 100/h or 300/d`,
  );
}

function parseTexts(value: unknown, what: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new InvalidValueError(`${what} must be a list of texts`);
}

function parseObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw new InvalidValueError(`${what} must be an object`);
}

function badOrigin(): InvalidValueError {
  return new InvalidValueError(
    'an origin must be a scheme and a host, with a port where it needs one, and no path or user: https://shop.example, https://*.shop.example or http://localhost:8080',
  );
}
