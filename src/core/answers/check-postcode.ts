/**
 * Checks a postal code for a form: whether the country's data have it, as what, and whether it has a form that the
 * country's codes have. It finds what endpoint 7 finds; a code that is not found is an answer here and no error. Of a code
 * that is not found as a whole, it tells whether an earlier release has it.
 */

import { findCountry, structuresOf } from '../lookup/countries.js';
import { isNationalFullCode, SHORT_CODE_COUNTRIES } from '../lookup/national-postcodes.js';
import { lookUpPostcode, matchKindOf } from '../lookup/postcode-lookup.js';
import { listWithdrawn } from '../lookup/withdrawn-postcodes.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { firstPartFormat, fitsFormat } from '../snapshot/postcode-format.js';
import { indexedPostcode, type PostcodeIndex } from '../snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import { renderedPostalCodeFormat } from '../snapshot/rendered-countries.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Number of codes among which an example that fits the format is looked for. Most countries' first fits. */
const EXAMPLE_CANDIDATES = 16;

interface CheckPostcodeRequest {
  readonly country: string;
  /** As the client sent it. */
  readonly postcode: string;
}

export function checkPostcode(
  snapshot: Snapshot,
  { country: code, postcode: asked }: CheckPostcodeRequest,
): ByteString {
  const country = findCountry(snapshot, code);
  const { postcodes } = structuresOf(country);
  const normalized = normalizePostcode(asked);
  const found = lookUpPostcode(snapshot, country, normalized);
  const postcode = found?.match.postcode ?? null;
  const match = matchKindOf(found, asked);
  const format = renderedPostalCodeFormat(snapshot.renderedCountries, country.number);
  const compact = compactPostcode(plainPostcode(normalized));
  const isCode = postcode !== null && compactPostcode(postcode) === compact;
  const hasKnownFormat =
    isCode || isNationalFullCode(code, compact) || (format !== null && fitsCompact(format, code, compact));
  const example = chooseExample(postcodes, format);
  const isWhole = found?.isPartial === false;
  // JSON leaves out what is undefined.
  const [withdrawn] = isWhole ? [] : listWithdrawn(snapshot, [country], normalized);
  const answer = { countryCode: code, asked, postcode, match, hasKnownFormat, format, example, withdrawn };
  return encodeUtf8(JSON.stringify(answer));
}

/** Whether a compact code fits a country's format without regard to spaces and hyphens. */
function fitsCompact(format: string, country: string, compact: string): boolean {
  if (fitsFormat(compactPostcode(format), compact)) return true;
  return SHORT_CODE_COUNTRIES.has(country) && fitsFormat(compactPostcode(firstPartFormat(format)), compact);
}

/** A code that fits the format, from the middle of the list on; the code in the middle if none of the candidates does. */
function chooseExample(index: PostcodeIndex, format: string | null): string {
  const { codeCount } = index;
  const first = indexedPostcode(index, codeCount >> 1);
  if (format === null) return first;
  const step = Math.max(1, Math.floor(codeCount / EXAMPLE_CANDIDATES));
  for (let candidate = 0; candidate < EXAMPLE_CANDIDATES; candidate++) {
    const code = indexedPostcode(index, ((codeCount >> 1) + candidate * step) % codeCount);
    if (fitsFormat(format, code)) return code;
  }
  return first;
}
