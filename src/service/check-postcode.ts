/**
 * Checks a postal code for a form: whether the country's data have it, as what, and whether it has a form that the
 * country's codes have. It finds what endpoint 7 finds; a code that is not found is an answer here and no error.
 */
import { firstPartFormat, fitsFormat } from '../format/postal-code-format.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../format/postcode.js';
import type { PostcodeIndex } from '../format/postcode-index.js';
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import { codeText } from '../store/postcode-index.js';
import { postalCodeFormat } from '../store/rendered-countries.js';
import type { Snapshot } from '../store/snapshot.js';
import { findCountry, structuresOf } from './find-country.js';
import { lookUpPostcode, type ResolvedPostcode } from './postcode-candidates.js';
import { isFullCode, SHORT_CODE_COUNTRIES } from './postcode-rules.js';

/**
 * How a code was found. `exact`: as asked. `normalised`: in another spelling. `partial`: the data have only the first
 * part of the code, or only part of the code was asked for. `none`: not found.
 */
export const POSTCODE_MATCHES = ['exact', 'normalised', 'partial', 'none'] as const;

export type PostcodeMatchKind = (typeof POSTCODE_MATCHES)[number];

/** Number of codes among which an example that fits the format is looked for. Most countries' first fits. */
const EXAMPLE_CANDIDATES = 16;

interface CheckPostcodeRequest {
  readonly country: string;
  /** As the client sent it. */
  readonly postcode: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
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
  const format = postalCodeFormat(snapshot.renderedCountries, country.number);
  const compact = compactPostcode(plainPostcode(normalized));
  const isCode = postcode !== null && compactPostcode(postcode) === compact;
  const hasKnownFormat = isCode || isFullCode(code, compact) || (format !== null && fitsCompact(format, code, compact));
  const example = chooseExample(postcodes, format);
  return encodeUtf8(JSON.stringify({ countryCode: code, asked, postcode, match, hasKnownFormat, format, example }));
}

/** How a code was found that was asked for as `asked`. */
export function matchKindOf(found: ResolvedPostcode | undefined, asked: string): PostcodeMatchKind {
  if (found === undefined) return 'none';
  if (found.isPartial) return 'partial';
  return found.match.postcode === asked ? 'exact' : 'normalised';
}

/** Whether a compact code fits a country's format without regard to spaces and hyphens. */
function fitsCompact(format: string, country: string, compact: string): boolean {
  if (fitsFormat(compactPostcode(format), compact)) return true;
  return SHORT_CODE_COUNTRIES.has(country) && fitsFormat(compactPostcode(firstPartFormat(format)), compact);
}

/** A code that fits the format, from the middle of the list on; the code in the middle if none of the candidates does. */
function chooseExample(index: PostcodeIndex, format: string | null): string {
  const { codeCount } = index;
  const first = codeText(index, codeCount >> 1);
  if (format === null) return first;
  const step = Math.max(1, Math.floor(codeCount / EXAMPLE_CANDIDATES));
  for (let candidate = 0; candidate < EXAMPLE_CANDIDATES; candidate++) {
    const code = codeText(index, ((codeCount >> 1) + candidate * step) % codeCount);
    if (fitsFormat(format, code)) return code;
  }
  return first;
}
