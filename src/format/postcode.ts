/**
 * The two spellings under which a postal code is found. Normal form is the contract's (trimmed, runs of spaces
 * collapsed, upper case) and is how the dataset's own spelling is stored; compact form leaves out spaces and hyphens
 * too and is what the index hashes, so "sw1a1aa" finds "SW1A 1AA" and "59700" never splits from "59-700".
 */

const SEPARATOR = /[\s-]/;
const SEPARATORS = /[\s-]+/g;
/** What text processors put for a hyphen, and what nobody sees: soft hyphens, zero-width spaces and joiners. */
const OTHER_HYPHENS = /[\p{Pd}\u2212]/gu;
const INVISIBLE = /\p{Cf}/gu;

/** The contract's normalisation. Idempotent. */
export function normalizePostcode(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toUpperCase();
}

/** The normal form without spaces and hyphens. */
export function compactPostcode(normalized: string): string {
  return SEPARATOR.test(normalized) ? normalized.replace(SEPARATORS, '') : normalized;
}

/** For a code that is not found in its normal form: letters and digits of one width, plain hyphens, nothing invisible. */
export function plainPostcode(normalized: string): string {
  return normalizePostcode(normalized.normalize('NFKC').replace(INVISIBLE, '').replace(OTHER_HYPHENS, '-'));
}
