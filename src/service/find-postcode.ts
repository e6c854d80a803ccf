/** Endpoint 7: the places of a postal code, by name then id. */
import { plainPostcode } from '../format/postcode.js';
import { isPlace } from '../store/place-tree.js';
import { findPostcode as findInIndex, type PostcodeMatch } from '../store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findStructures } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';
import { outwardPostcode } from './outward-postcode.js';
import { appendPlaceDetail } from './place-detail.js';

export const MAX_POSTCODE_PLACES = 100;

interface FindPostcodeRequest {
  readonly country: string;
  /** In the contract's normal form. */
  readonly postcode: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcode(snapshot: Snapshot, { country, postcode }: FindPostcodeRequest): JsonPieces {
  const structures = findStructures(snapshot, country);
  const match = findInIndex(structures.postcodes, postcode) ?? findPlain(structures, country, plainPostcode(postcode));
  if (match === undefined) {
    throw new DomainError(
      'POSTCODE_NOT_FOUND',
      `No place in ${country} uses the postcode ${JSON.stringify(postcode)}.`,
    );
  }
  const found = Buffer.from(JSON.stringify(match.postcode), 'utf8');
  const pieces: JsonPieces = [`{"countryCode":"${country}","postcode":`, found, ',"places":['];
  const emptyLength = pieces.length;
  match.places.subarray(0, MAX_POSTCODE_PLACES).forEach((place) => {
    if (!isPlace(structures.tree, place)) return;
    if (pieces.length > emptyLength) pieces.push(',');
    appendPlaceDetail(pieces, structures, place);
  });
  pieces.push(']}');
  return pieces;
}

/** The places of a plain code, or else of its first part. */
function findPlain(structures: CountryStructures, country: string, plain: string): PostcodeMatch | undefined {
  const outward = outwardPostcode(country, plain);
  const codes = outward === undefined ? [plain] : [plain, outward];
  for (const code of codes) {
    const match = findInIndex(structures.postcodes, code);
    if (match !== undefined) return match;
  }
  return undefined;
}
