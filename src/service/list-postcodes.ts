/**
 * The postal codes of a place, each once, in natural order. The codes of a unit are those of all leaves in it, and of
 * the leaves of its name beside it: in some countries a city's municipality and its leaves are siblings. The codes of a
 * leaf are those of its city, which are the leaves of the same name in its unit. Costs one pass over the country's
 * codes (src/store/place-codes.ts).
 */
import { lowerBound } from '../format/binary-search.js';
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import type { Range } from '../store/mapped-numbers.js';
import { listCodes, type PlaceCode } from '../store/place-codes.js';
import { readPoint } from '../store/place-fields.js';
import { childRange, isPlace, levelRange, rangesBelow } from '../store/place-tree.js';
import { codeText } from '../store/postcode-index.js';
import { placeNameJson } from '../store/rendered-places.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import { type PageRequest, paginate } from './pagination.js';

interface ListPostcodesRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
  /** Whether the codes of recipients are listed too. */
  readonly recipients: boolean | undefined;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function listPostcodes(snapshot: Snapshot, request: ListPostcodesRequest): ByteString {
  const structures = findStructures(snapshot, request.country);
  const place = findPlace(structures, request.country, request.id);
  const places = [...rangesBelow(structures.tree, place), namesakesOf(structures, place)];
  const start = (request.page - 1) * request.pageSize;
  const end = start + request.pageSize;
  const withRecipients = request.recipients === true;
  const { codes, codeCount } = listCodes(structures, { places, withRecipients, start, end });
  const { before, after } = paginate(request, codeCount);
  return before + encodeUtf8(codes.map((code) => renderCode(structures, code)).join()) + after;
}

/** A place and its siblings with its name: a range, because siblings are ordered by name. Units among them have no code. */
function namesakesOf({ tree, renderedPlaces }: CountryStructures, own: number): Range {
  const name = placeNameJson(renderedPlaces, own);
  const isNamedSo = (place: number): boolean => placeNameJson(renderedPlaces, place) === name;
  const parent = tree.parents[own] as number;
  const siblings = isPlace(tree, parent) ? childRange(tree, parent) : levelRange(tree, 1);
  return {
    start: lowerBound(siblings.start, own, (place) => !isNamedSo(place)),
    end: lowerBound(own, siblings.end, isNamedSo),
  };
}

function renderCode(structures: CountryStructures, { code, place, placeCount }: PlaceCode): string {
  const postcode = codeText(structures.postcodes, code);
  return JSON.stringify({ postcode, ...readPoint(structures, place), placeCount });
}
