/** The postal codes of a place, each once, in natural order. */

import { findCountryStructures } from '../lookup/countries.js';
import {
  listPlaceFullCodes,
  listPlacePostcodes,
  markPlacesOfCodes,
  type PlaceCode,
} from '../lookup/place-postcodes.js';
import { findPlace } from '../lookup/places.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { type FullCode, fullCodeAt } from '../snapshot/full-codes.js';
import { readPointField } from '../snapshot/place-fields.js';
import { indexedPostcode } from '../snapshot/postcode-index.js';
import type { CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { type PageRequest, paginate } from './page.js';

interface ListPostcodesRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
  /** Whether the codes of recipients are listed too. */
  readonly recipients: boolean | undefined;
  /** Whether full codes are listed instead, where the country has them. */
  readonly full?: boolean | undefined;
}

export function listPostcodes(snapshot: Snapshot, request: ListPostcodesRequest): ByteString {
  const structures = findCountryStructures(snapshot, request.country);
  const place = findPlace(structures, request.country, request.id);
  const marks = markPlacesOfCodes(structures, place, request.recipients === true);
  const start = (request.page - 1) * request.pageSize;
  const end = start + request.pageSize;
  const { fullCodes } = structures;
  if (request.full === true && fullCodes !== undefined) {
    const { codes, codeCount } = listPlaceFullCodes(structures, { marks, start, end });
    const { before, after } = paginate(request, codeCount);
    return before + codes.map((number) => renderFullCode(fullCodeAt(fullCodes, number))).join() + after;
  }
  const { codes, codeCount } = listPlacePostcodes(structures, { marks, start, end });
  const { before, after } = paginate(request, codeCount);
  return before + encodeUtf8(codes.map((code) => renderCode(structures, code)).join()) + after;
}

function renderCode(structures: CountryStructures, { code, place, placeCount }: PlaceCode): string {
  const postcode = indexedPostcode(structures.postcodes, code);
  return JSON.stringify({ postcode, ...readPointField(structures, place), placeCount });
}

/** The fields of renderCode. A full code belongs to one place. */
function renderFullCode({ postcode, latitude, longitude }: FullCode): ByteString {
  return JSON.stringify({ postcode, latitude, longitude, placeCount: 1 });
}
