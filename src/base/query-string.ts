/**
 * A query string as it was sent: its pieces by the names of parameters, and percent-decoding, both strict. Express' own
 * parser is not used because it lets bad escapes through and turns repeated names into arrays. To find a parameter costs
 * one scan of the query, and decodes nothing in a typical request.
 */

const MAX_NAME_CHARACTERS = 100;
const PERCENT = '%'.charCodeAt(0);
const BAD_ESCAPE = /%(?![\da-f]{2})/i;

/** The raw query string of a target, without its question mark; empty where there is none. */
export function queryOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt < 0 ? '' : target.slice(queryAt + 1);
}

/**
 * The raw pieces (`name=value`) of a query string that give the parameter `name`, plainly or as an array or object
 * (`name[]=`, `name[a]=`, escaped or not), in the order sent. Other names are passed over, even badly encoded ones.
 */
export function findQueryPieces(query: string, name: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < query.length) {
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    // Most pieces are another parameter's, and differ in their first character: only an escape can stand for it.
    const first = query.charCodeAt(start);
    if (first === name.charCodeAt(0) || first === PERCENT) {
      const piece = query.slice(start, end);
      const given = queryPieceName(piece);
      if (given === name || given.startsWith(`${name}[`)) pieces.push(piece);
    }
    start = end + 1;
  }
  return pieces;
}

/** The decoded name of a `name=value` piece; empty where it can't be decoded, which is no parameter's name. */
export function queryPieceName(piece: string): string {
  const equalsAt = piece.indexOf('=');
  const raw = equalsAt < 0 ? piece : piece.slice(0, equalsAt);
  // No parameter's name is nearly as long, so a flood of escapes is not even decoded.
  return raw.length > MAX_NAME_CHARACTERS ? '' : (decodeQueryComponent(raw) ?? '');
}

/** The raw value of a `name=value` piece. */
export function queryPieceValue(piece: string): string {
  const equalsAt = piece.indexOf('=');
  return equalsAt < 0 ? '' : piece.slice(equalsAt + 1);
}

/** Decodes a part of a query string, where `+` is a space; undefined where it is no valid UTF-8. */
export function decodeQueryComponent(raw: string): string | undefined {
  return decodeComponent(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/**
 * Percent-decodes once; undefined for a bad escape and for anything that is no valid UTF-8 (overlong forms and
 * surrogates included). Unescaped bytes above ASCII never come this far: node's parser refuses them.
 */
export function decodeComponent(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  // decodeURIComponent would find it too, but with an error, which costs fifty times as much.
  if (BAD_ESCAPE.test(raw)) return undefined;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
