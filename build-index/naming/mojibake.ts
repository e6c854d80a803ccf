/**
 * Decodes mojibake, text in UTF-8 that was read as Windows-1252 or Latin-1: "HÃ¼ls" → "Hüls". A text is decoded only if
 * all of it is valid UTF-8 in that reading, and if the letters that this gives are Latin, or all of one other script: the
 * first two letters of the Czech "Úžice" are valid too, but give an Arabic one.
 */

/** The characters of Windows-1252 for the bytes from 0x80 to 0x9f; a dot for a byte without a character. */
const WINDOWS_1252 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';
const BYTES = new Map(
  Array.from(WINDOWS_1252, (character, index) => [character, 0x80 + index] as const).filter(([one]) => one !== '.'),
);
/** A quick test: the first byte of a character in UTF-8, and a byte after it. */
const MAYBE_MOJIBAKE = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const BEYOND_ASCII = /[^\p{ASCII}]+/gu;
const LATIN_OR_PUNCTUATION = /^[\p{Script=Latin}\p{P}]+$/u;
const ONE_SCRIPT =
  /^(?:\p{Script=Cyrillic}+|\p{Script=Greek}+|\p{Script=Georgian}+|\p{Script=Hangul}+|\p{Script=Han}+)$/u;
const ASCII_LETTER = /[A-Za-z]/;

/** `text` decoded, or `text` itself if it is not mojibake. */
export function decodeMojibake(text: string): string {
  if (!MAYBE_MOJIBAKE.test(text)) return text;
  const bytes = Array.from(text, (character) => BYTES.get(character) ?? (character.codePointAt(0) as number));
  if (bytes.some((byte) => byte > 0xff)) return text;
  let decoded: string;
  try {
    decoded = UTF8.decode(Uint8Array.from(bytes));
  } catch {
    return text;
  }
  const letters = decoded.match(BEYOND_ASCII)?.join('') ?? '';
  const isPlausible = LATIN_OR_PUNCTUATION.test(letters) || (ONE_SCRIPT.test(letters) && !ASCII_LETTER.test(decoded));
  return isPlausible ? decoded : text;
}
