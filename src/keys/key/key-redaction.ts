/**
 * Removes API keys from texts for logs. In a URL a key may be encoded, cut, mistyped or written in groups; what stays of
 * it is too little to guess the rest. Ids of places stay.
 */

/** Includes truncated, mistyped and upper-case keys: a log must not help to guess the rest. */
const KEY_LIKE = /pp_(?:pub_)?[\da-z]{8,}/gi;
/** In a URL: anything that may be the random part, with or without a prefix, even percent-encoded. */
const SECRET_LIKE =
  /(?<!%[\da-f]?)(?=(?:[a-z]|%[46]\w|%[57][\da]){0,40}(?:\d|%3\d))(?:[\da-z]|%3\d|%[46]\w|%[57][\da]){16,}/gi;
/** A part of a URL: a path segment, or a name or value of the query. */
const URL_PART = /[^/?&=#]+/g;
/** A byte, percent-encoded once or again and again. */
const ENCODED_BYTE = /%(?:25)*([\da-f]{2})/gi;
const PLACE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** With fewer characters of a key, 45 bits and more are left to guess. */
const TELLING_CHARACTERS = 24;

/** The text with everything in it that looks like a key blotted out, for logs. */
export function redactApiKeys(text: string): string {
  return text.replaceAll(KEY_LIKE, `pp_…`);
}

/** The same for URLs, in which a key may be encoded, cut, mistyped or written in groups. Ids of places stay. */
export function redactApiKeysInUrl(url: string): string {
  return redactApiKeys(url)
    .replaceAll(SECRET_LIKE, '…')
    .replaceAll(URL_PART, (part) => (tellsKey(part) ? '…' : part));
}

/** Whether a key could be read from the part, even with separators between its characters. */
function tellsKey(part: string): boolean {
  const text = part.replaceAll(ENCODED_BYTE, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  const characters = text.replaceAll(/[^\da-z]/gi, '');
  return characters.length >= TELLING_CHARACTERS && /\d/.test(characters) && !PLACE_ID.test(text);
}
