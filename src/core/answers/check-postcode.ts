/**
 * Checks a postal code for a form: whether the country's data have it, as what, and whether it has a form that the
 * country's codes have. It finds what endpoint 7 finds; a code that is not found is an answer here and no error. Of a code
 * that is not found as a whole, it tells whether an earlier release has it, or else in which town's block it is.
 */

import { findCountry, structuresOf } from '../lookup/countries.js';
import { describeInferred } from '../lookup/inferred-postcode.js';
import { hasNationalForm } from '../lookup/postcode-forms.js';
import { resolvePostcode } from '../lookup/postcode-lookup.js';
import { listWithdrawn } from '../lookup/withdrawn-postcodes.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { fitsFormat } from '../snapshot/postcode-format.js';
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
  const resolution = resolvePostcode(snapshot, country, asked);
  const { match } = resolution;
  const postcode = 'found' in resolution ? resolution.found.match.postcode : null;
  const format = renderedPostalCodeFormat(snapshot.renderedCountries, country.number);
  const compact = compactPostcode(plainPostcode(normalized));
  const isCode = postcode !== null && compactPostcode(postcode) === compact;
  const hasKnownFormat = isCode || hasNationalForm(snapshot, country, compact);
  const example = chooseExample(postcodes, format);
  // Of a full code whose first part lives, too. JSON leaves out what is undefined.
  const [withdrawn] =
    match === 'partial' || match === 'withdrawn' ? listWithdrawn(snapshot, [country], normalized) : [];
  const inferred = resolution.match === 'inferred' ? describeInferred(resolution.inferred) : undefined;
  const answer = { countryCode: code, asked, postcode, match, hasKnownFormat, format, example, withdrawn, inferred };
  return encodeUtf8(JSON.stringify(answer));
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
