/**
 * Origins of web pages that may use a publishable key, kept as browsers send them in `Origin`: lower case, without the
 * default port, path or user. `https://*.shop.example` allows every origin below `shop.example`, at any depth as in a
 * Content Security Policy (https://www.w3.org/TR/CSP3/#match-hosts), with the same scheme and port, and not
 * `https://shop.example` itself. redis-decision-script.ts has the same rule in Lua.
 */

import { InvalidValueError } from '../../base/errors.js';

const MAX_ORIGINS = 10;
/** Maximum number of characters of an origin: a host name has at most 253. */
const MAX_ORIGIN_CHARACTERS = 300;
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

/** An origin as somebody writes it, in the form that browsers send. */
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

/** Origins as somebody writes them. */
export function parseOrigins(texts: readonly string[]): readonly string[] {
  const origins = [...new Set(texts.map(parseOrigin))];
  if (origins.length >= 1 && origins.length <= MAX_ORIGINS) return origins;
  throw new InvalidValueError(`a publishable key needs 1 to ${MAX_ORIGINS} origins`);
}

function badOrigin(): InvalidValueError {
  return new InvalidValueError(
    'an origin must be a scheme and a host, with a port where it needs one, and no path or user: https://shop.example, https://*.shop.example or http://localhost:8080',
  );
}
