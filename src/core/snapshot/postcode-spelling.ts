/**
 * The two forms of a postal code. The normal form is the contract's (trimmed, runs of spaces collapsed, upper case);
 * the snapshot stores codes in it. The compact form has no spaces and hyphens; the index hashes it, so "sw1a1aa" finds
 * "SW1A 1AA", and "59700" finds "59-700".
 */

const LETTER = /[A-Z]/;
const SEPARATOR = /[\s-]/;
const SEPARATORS = /[\s-]+/g;
/** The dashes that text processors put in place of a hyphen. */
const OTHER_HYPHENS = /[\p{Pd}\u2212]/gu;
/** Soft hyphens, zero-width spaces and joiners. */
const INVISIBLE = /\p{Cf}/gu;

/** Most codes are in normal form already. */
const NORMAL = /^[A-Z\d]+$/;

/** The contract's normalisation. Idempotent. */
export function normalizePostcode(text: string): string {
  if (NORMAL.test(text)) return text;
  return text.replace(/\s+/g, ' ').trim().toUpperCase();
}

/** The normal form without spaces and hyphens. */
export function compactPostcode(normalized: string): string {
  return SEPARATOR.test(normalized) ? normalized.replace(SEPARATORS, '') : normalized;
}

/** The text with ASCII in place of full-width letters and digits, and hyphens in place of dashes. */
export function plainPostcodeCharacters(text: string): string {
  return text.normalize('NFKC').replace(OTHER_HYPHENS, '-');
}

/** The plain characters of a code without invisible ones, for a code that is not found in its normal form. */
export function plainPostcode(normalized: string): string {
  return normalizePostcode(plainPostcodeCharacters(normalized).replace(INVISIBLE, ''));
}

/** Whether a code in normal form has a letter. */
export function hasLetter(normalized: string): boolean {
  return LETTER.test(normalized);
}
