/** A postal code as people write it, and the code of the country, or of its territories, that it means. */

import { isNationalFullCode } from '../../core/lookup/national-postcodes.js';
import { lookUpPostcode, type ResolvedPostcode } from '../../core/lookup/postcode-lookup.js';
import type { FullCode } from '../../core/snapshot/full-codes.js';
import type { PostcodeMatch } from '../../core/snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../../core/snapshot/postcode-spelling.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { type CoveredCountry, isCovered } from './covered-country.js';

/** A code of the data. */
export interface FoundCode {
  readonly country: CoveredCountry;
  readonly match: PostcodeMatch;
  readonly fullCode?: FullCode | undefined;
  /** The requested full code, where the data have only its first part. */
  readonly missing?: string | undefined;
}

export const MAX_CODE_LENGTH = 20;

/** `text` is a code of the country, or of one of its territories, in any spelling. */
export function findCode(snapshot: Snapshot, country: CoveredCountry, text: string): FoundCode | undefined {
  const found = lookUpPostcode(snapshot, country, normalizePostcode(text));
  return found && describeFound(snapshot, found, text);
}

/** `typed` is the text by which the code was found. */
export function describeFound(snapshot: Snapshot, found: ResolvedPostcode, typed: string): FoundCode | undefined {
  const { match, structures, fullCode, isPartial } = found;
  const country = snapshot.countries.find((owner) => owner.structures === structures);
  if (country === undefined || !isCovered(country)) return undefined;
  const first = compactPostcode(match.postcode);
  const compact = compactPostcode(plainPostcode(typed));
  const second = compact.slice(compact.indexOf(first) + first.length);
  const isMissing = isPartial && compact.includes(first) && isNationalFullCode(country.entry.code, first + second);
  return { country, match, fullCode, missing: isMissing ? `${match.postcode} ${second}` : undefined };
}
