/**
 * Places, postal codes and cities as the rows of tables, country by country, for all formats but the contract's JSON. A
 * row is a JSON object with the columns as its fields; that of a place begins with the bytes of the snapshot. Rows of an
 * export are made one at a time.
 */

import { countCityPostcodes } from '../lookup/city-postcodes.js';
import { mainPlaceOf } from '../lookup/main-place.js';
import { inNaturalOrder } from '../lookup/natural-order.js';
import { recipientMarksOf } from '../lookup/place-postcodes.js';
import { type ByteString, jsonByteString } from '../snapshot/byte-string.js';
import { cityNameJson } from '../snapshot/city-name.js';
import { codesOfFirstPart, fullCodeAt } from '../snapshot/full-codes.js';
import { parseJsonString } from '../snapshot/parse-json.js';
import { cityOf } from '../snapshot/place-cities.js';
import { populationOf, timezoneOf } from '../snapshot/place-facts.js';
import { isCoarsePositionAt } from '../snapshot/place-positions.js';
import { isPlace } from '../snapshot/place-tree.js';
import { indexedPostcode, indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import { NULLABLE_FIELDS, PLACE_FIELDS, placeJson, suggestedPlaceJson } from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { type SnapshotError, structureError } from '../snapshot/snapshot-error.js';

interface Column {
  /** The name of the field in the API's JSON, if it has the field. */
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number';
  readonly isNullable: boolean;
}

/** A country with data, by its code. */
export interface TableCountry {
  readonly code: string;
  readonly structures: CountryStructures;
}

export interface Table {
  readonly columns: readonly Column[];
  /** The rows of a country, each an object with these columns in their order. */
  listObjects(country: TableCountry): Iterable<ByteString>;
}

function columnsOf(names: string, type: Column['type'], nullable: readonly string[] = []): Column[] {
  return names.split(' ').map((name) => ({ name, type, isNullable: nullable.includes(name) }));
}

/** The fields of a place as the API returns it, in their order. */
export const PLACE_COLUMNS: readonly Column[] = PLACE_FIELDS.flatMap(([name, type]) =>
  columnsOf(name, name === 'level' ? 'integer' : type, NULLABLE_FIELDS),
);

/** The city of a place, or of a code's place. */
const CITY_COLUMNS = columnsOf('city cityId', 'string', ['city', 'cityId']);

/** In the order of an export of all. */
export const TABLES = {
  /** All places, units before what lies in them. */
  places: { columns: [...PLACE_COLUMNS, ...CITY_COLUMNS], listObjects: listPlaces },
  /** The codes of places in natural order, each with the position of one of its places and before its full codes. */
  postcodes: {
    columns: [
      ...columnsOf('countryCode postcode firstPart', 'string', ['firstPart']),
      ...columnsOf('latitude longitude', 'number'),
      ...columnsOf('placeCount', 'integer'),
      ...columnsOf('placeId locality', 'string'),
      ...CITY_COLUMNS,
    ],
    listObjects: listPostcodes,
  },
  /** The places that stand for cities, with facts of the city. */
  cities: {
    columns: [
      ...PLACE_COLUMNS,
      ...columnsOf('timezone', 'string', ['timezone']),
      ...columnsOf('population postcodeCount', 'integer', ['population']),
      ...columnsOf('firstPostcode lastPostcode', 'string', ['firstPostcode', 'lastPostcode']),
    ],
    listObjects: listCities,
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

function* listPlaces({ structures }: TableCountry): Generator<ByteString> {
  const { tree, renderedPlaces } = structures;
  const cityFields = createCityFields(structures);
  for (let place = 0; place < tree.placeCount; place++) {
    yield `${placeJson(renderedPlaces, place).slice(0, -1)},${cityFields(place)}}`;
  }
}

/** A function that gives the fields CITY_COLUMNS of a place. Those of a city are kept for the next place. */
function createCityFields(structures: CountryStructures): (place: number) => ByteString {
  let last: number | undefined;
  let fields: ByteString = '';
  return (place) => {
    const city = cityOf(structures, place);
    if (city === undefined) return '"city":null,"cityId":null';
    if (city !== last) {
      const { id } = suggestedPlaceJson(structures.renderedPlaces, city);
      last = city;
      fields = `"city":${cityNameJson(structures, city)},"cityId":${jsonOf(id)}`;
    }
    return fields;
  };
}

function* listPostcodes({ code: country, structures }: TableCountry): Generator<ByteString> {
  const { tree, postcodes, positions, fullCodes, renderedPlaces } = structures;
  // In a damaged file every code could have all places, and every first part all full codes.
  let unreadPlaces = postcodes.places.length;
  let unreadCodes = fullCodes?.count ?? 0;
  const cityFields = createCityFields(structures);
  const placeFields = (place: number, ofCity: number): ByteString => {
    const { id, name } = suggestedPlaceJson(renderedPlaces, place);
    return `"placeId":${jsonOf(id)},"locality":${name},${cityFields(ofCity)}`;
  };
  for (const code of inNaturalOrder(structures, { start: 0, end: postcodes.codeCount })) {
    const places = indexedPostcodePlaces(postcodes, code);
    unreadPlaces -= places.length;
    const place = places.find((one) => !isCoarsePositionAt(positions.sources, one)) ?? places[0];
    if (place === undefined || !isPlace(tree, place) || unreadPlaces < 0) {
      throw structureError(`postcode-index of ${country}`, 'places of each code', `code ${code}`);
    }
    const postcode = jsonByteString(indexedPostcode(postcodes, code));
    const start = `{"countryCode":"${country}","postcode":`;
    const { point } = suggestedPlaceJson(renderedPlaces, place);
    yield `${start}${postcode},"firstPart":null,${point},"placeCount":${places.length},${placeFields(place, mainPlaceOf(structures, { places }) ?? place)}}`;
    if (fullCodes === undefined) continue;
    const own = codesOfFirstPart(fullCodes, code);
    unreadCodes -= own.end - own.start;
    for (let number = own.start; number < own.end; number++) {
      const full = fullCodeAt(fullCodes, number);
      if (unreadCodes < 0 || !isPlace(tree, full.place)) {
        throw structureError(`full-codes of ${country}`, 'each full code once, with a place', `full code ${number}`);
      }
      const position = `"latitude":${full.latitude},"longitude":${full.longitude}`;
      yield `${start}${jsonByteString(full.postcode)},"firstPart":${postcode},${position},"placeCount":1,${placeFields(full.place, full.place)}}`;
    }
  }
}

/** The value of a field such as `"id":"…"`. */
function jsonOf(field: ByteString): ByteString {
  return field.slice(field.indexOf(':') + 1);
}

function* listCities({ structures }: TableCountry): Generator<ByteString> {
  const { tree, postcodes, renderedPlaces } = structures;
  const recipients = recipientMarksOf(structures);
  const { counts, firsts, lasts } = countCityPostcodes(structures);
  for (let city = 0; city < tree.placeCount; city++) {
    if (cityOf(structures, city) !== city || recipients?.[city] === 1) continue;
    const timezone = timezoneOf(structures, city);
    const count = counts[city] as number;
    const codeJson = (code: number): ByteString =>
      count === 0 ? 'null' : jsonByteString(indexedPostcode(postcodes, code));
    const facts =
      `"timezone":${timezone === null ? null : jsonByteString(timezone)},"population":${populationOf(structures, city)},` +
      `"postcodeCount":${count},"firstPostcode":${codeJson(firsts[city] as number)},` +
      `"lastPostcode":${codeJson(lasts[city] as number)}`;
    yield `${placeJson(renderedPlaces, city).slice(0, -1)},${facts}}`;
  }
}

/* A row in other forms. Keys are found in the text: none is inside of a value, because quotes are escaped there. */

/** A function that gives the values of an object with these columns, as JSON. */
export function createSplitter(columns: readonly Column[]): (object: ByteString) => ByteString[] {
  const keys = [...columns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`), '}'];
  return (object) => {
    const values: ByteString[] = [];
    let start = (keys[0] as string).length;
    for (let next = 1; next < keys.length; next++) {
      const key = keys[next] as string;
      const end = next === columns.length ? object.length - 1 : object.indexOf(key, start);
      if (end < start) throw damaged();
      values.push(object.slice(start, end));
      start = end + key.length;
    }
    return values;
  };
}

function damaged(): SnapshotError {
  return structureError('place-answers', 'the fields of a place', 'other text');
}

/** The value of a JSON scalar. */
export function parseValue(json: ByteString): string | number | null {
  if (json.startsWith('"')) return parseJsonString(json);
  if (json === 'null') return null;
  const value = Number(json);
  if (!Number.isFinite(value)) throw damaged();
  return value;
}
