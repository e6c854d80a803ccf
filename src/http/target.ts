/**
 * The request target as it was sent: reading a query string and percent-decoding, both strict. Express' own parser is
 * not used because it lets bad escapes through, turns repeated names into arrays and decodes path parameters before
 * the key is checked. Nothing here knows what a parameter means. A typical request costs one scan of the query for
 * each parameter of its route and decodes nothing.
 */

/**
 * Matches a target that is not yet plain: one with an escape or a raw byte above ASCII (node hands such bytes over as
 * latin1 characters), one with a fragment, one in absolute form (`GET http://host/path`).
 */
const NOT_PLAIN = /[%#\x80-\xff]|^[^/]/;

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * The target as Express should route it: origin form, no fragment, and every `%` of the path written `%25`, so that
 * Express' lax decoding gives back the path parameters exactly as they were sent, for `decodeComponent` to judge.
 */
export function toRoutableTarget(url: string): string {
  if (!NOT_PLAIN.test(url)) return url;
  const target = url.replace(/#.*$/, '').replace(ORIGIN, '');
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const query = queryAt < 0 ? '' : target.slice(queryAt);
  return (path === '' ? '/' : escapeRawBytes(path).replaceAll('%', '%25')) + query;
}

/** The raw query string of a target, without its question mark; empty where there is none. */
export function queryOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt < 0 ? '' : target.slice(queryAt + 1);
}

/**
 * The raw pieces (`name=value`) of a query string that give the parameter `name`, plainly or as an array or object
 * (`name[]=`, `name[a]=`, escaped or not), in the order sent. Other names are passed over, even badly encoded ones.
 */
export function findPieces(query: string, name: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < query.length) {
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    const piece = query.slice(start, end);
    const given = pieceName(piece);
    if (given === name || given.startsWith(`${name}[`)) pieces.push(piece);
    start = end + 1;
  }
  return pieces;
}

/** The decoded name of a `name=value` piece; empty where it can't be decoded, which is no parameter's name. */
export function pieceName(piece: string): string {
  const equalsAt = piece.indexOf('=');
  const raw = equalsAt < 0 ? piece : piece.slice(0, equalsAt);
  return decodeQueryComponent(raw) ?? '';
}

/** The raw value of a `name=value` piece. */
export function pieceValue(piece: string): string {
  const equalsAt = piece.indexOf('=');
  return equalsAt < 0 ? '' : piece.slice(equalsAt + 1);
}

/** Decodes a part of a query string, where `+` is a space; undefined where it is no valid UTF-8. */
export function decodeQueryComponent(raw: string): string | undefined {
  return decodeComponent(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/**
 * Percent-decodes once; undefined for a bad escape and for anything that is no valid UTF-8 (overlong forms and
 * surrogates included). Bytes above ASCII that came unescaped, as curl sends them, count as if they were escaped.
 */
export function decodeComponent(raw: string): string | undefined {
  if (!NEEDS_DECODING.test(raw)) return raw;
  try {
    return decodeURIComponent(escapeRawBytes(raw));
  } catch {
    return undefined;
  }
}

const NEEDS_DECODING = /[%\x80-\xff]/;

function escapeRawBytes(raw: string): string {
  return raw.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}
