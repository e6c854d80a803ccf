/**
 * Places, postal codes and cities as the rows of tables, country by country, for all formats but the contract's JSON. A
 * row is a JSON object with the columns as its fields; that of a place is the bytes of the snapshot. Here too: an object
 * as the values of its columns, as a line of CSV, and as a feature of GeoJSON, and the data of a use case as a table or
 * as features. Rows of an export are made one at a time; data are parsed as a whole.
 */

import { STARTS_AS_FORMULA } from '../../base/escape-text.js';
import { type ByteString, encodeUtf8, quoteJson } from '../snapshot/byte-string.js';
import { citiesOf, isArea, isRecipientAt, listCityPlaces, listRanks } from '../snapshot/cities.js';
import { codesOfFirstPart, fullCodeAt } from '../snapshot/full-codes.js';
import { parseJson } from '../snapshot/parse-json.js';
import { inNaturalOrder } from '../snapshot/place-codes.js';
import { isCoarseAt, populationOf, timezoneOf } from '../snapshot/place-facts.js';
import { parseString } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import { codePlaces, codeText } from '../snapshot/postcode-index.js';
import { NULLABLE_FIELDS, PLACE_FIELDS, placeJson, suggestedPlaceJson } from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { type SnapshotError, structureError } from '../snapshot/snapshot-error.js';
import { type ResponseData, responseText } from './response-data.js';

export interface Column {
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
  /** The rows of a country, each an object with these columns in their order. Throws SnapshotError. */
  listObjects(country: TableCountry): Iterable<ByteString>;
}

function columnsOf(names: string, type: Column['type'], nullable: readonly string[] = []): Column[] {
  return names.split(' ').map((name) => ({ name, type, isNullable: nullable.includes(name) }));
}

/** The fields of a place as the API returns it, in their order. */
export const PLACE_COLUMNS: readonly Column[] = PLACE_FIELDS.flatMap(([name, type]) =>
  columnsOf(name, name === 'level' ? 'integer' : type, NULLABLE_FIELDS),
);

/** In the order of an export of all. */
export const TABLES = {
  /** All places, units before what lies in them. */
  places: { columns: PLACE_COLUMNS, listObjects: listPlaces },
  /** The codes of places in natural order, each with the position of one of its places and before its full codes. */
  postcodes: {
    columns: [
      ...columnsOf('countryCode postcode firstPart', 'string', ['firstPart']),
      ...columnsOf('latitude longitude', 'number'),
      ...columnsOf('placeCount', 'integer'),
      ...columnsOf('placeId', 'string'),
    ],
    listObjects: listPostcodes,
  },
  /** The place of each city that has its people, or else its first, with facts of the city. */
  cities: {
    columns: [
      ...PLACE_COLUMNS,
      ...columnsOf('timezone', 'string', ['timezone']),
      ...columnsOf('population postcodeCount', 'integer', ['population']),
    ],
    listObjects: listCities,
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

function* listPlaces({ structures: { tree, renderedPlaces } }: TableCountry): Generator<ByteString> {
  for (let place = 0; place < tree.placeCount; place++) yield placeJson(renderedPlaces, place);
}

function* listPostcodes({ code: country, structures }: TableCountry): Generator<ByteString> {
  const { tree, postcodes, positions, fullCodes, renderedPlaces } = structures;
  // In a damaged file every code could have all places, and every first part all full codes.
  let unreadPlaces = postcodes.places.length;
  let unreadCodes = fullCodes?.count ?? 0;
  for (const code of inNaturalOrder(structures, { start: 0, end: postcodes.codeCount })) {
    const places = codePlaces(postcodes, code);
    unreadPlaces -= places.length;
    const place = places.find((one) => !isCoarseAt(positions.sources, one)) ?? places[0];
    if (place === undefined || !isPlace(tree, place) || unreadPlaces < 0) {
      throw structureError(`postcode-index of ${country}`, 'places of each code', `code ${code}`);
    }
    const postcode = quoteJson(codeText(postcodes, code));
    const start = `{"countryCode":"${country}","postcode":`;
    const { id, point } = suggestedPlaceJson(renderedPlaces, place);
    yield `${start}${postcode},"firstPart":null,${point},"placeCount":${places.length},"placeId":${jsonOf(id)}}`;
    if (fullCodes === undefined) continue;
    const own = codesOfFirstPart(fullCodes, code);
    unreadCodes -= own.end - own.start;
    for (let number = own.start; number < own.end; number++) {
      const full = fullCodeAt(fullCodes, number);
      if (unreadCodes < 0 || !isPlace(tree, full.place)) {
        throw structureError(`full-codes of ${country}`, 'each full code once, with a place', `full code ${number}`);
      }
      const { id } = suggestedPlaceJson(renderedPlaces, full.place);
      const position = `"latitude":${full.latitude},"longitude":${full.longitude}`;
      yield `${start}${quoteJson(full.postcode)},"firstPart":${postcode},${position},"placeCount":1,"placeId":${jsonOf(id)}}`;
    }
  }
}

/** The value of a field such as `"id":"…"`. */
function jsonOf(field: ByteString): ByteString {
  return field.slice(field.indexOf(':') + 1);
}

function* listCities({ structures }: TableCountry): Generator<ByteString> {
  const { tree, renderedPlaces } = structures;
  const found = citiesOf(structures);
  for (let place = 0; place < tree.placeCount; place++) {
    // A city that the builder adds is a unit in which nothing lies.
    if (found.cities[place] !== place || isRecipientAt(found, place) || isArea(structures, place)) continue;
    const places = listCityPlaces(structures, place);
    // Of one city one place alone may have the number of its people.
    const main = places.find((one) => populationOf(structures, one) !== null) ?? place;
    const timezone = timezoneOf(structures, main);
    const facts =
      `"timezone":${timezone === null ? null : quoteJson(timezone)},"population":${populationOf(structures, main)},` +
      `"postcodeCount":${listRanks(found, places).length}`;
    yield `${placeJson(renderedPlaces, main).slice(0, -1)},${facts}}`;
  }
}

/* A row in other forms. Keys are found in the text: none is inside of a value, because quotes are escaped there. */

/** A function that gives the values of an object with these columns, as JSON. It throws SnapshotError for other texts. */
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

/** The value of a JSON scalar. Throws SnapshotError for other texts. */
export function parseValue(json: ByteString): string | number | null {
  if (json.startsWith('"')) return parseString(json);
  if (json === 'null') return null;
  const value = Number(json);
  if (!Number.isFinite(value)) throw damaged();
  return value;
}

/** A JSON string without escapes that stays as it is in CSV. Of signs beyond ASCII a formula's begin with this byte. */
const PLAIN = /^"[^=+\-@\xef",\\][^",\\]*"$/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A line of CSV (RFC 4180) without its end, of values as JSON. Null is an empty cell. A text that a
 * spreadsheet would run as a formula gets an apostrophe before it, unless `isRaw`.
 */
export function csvLine(values: readonly ByteString[], isRaw = false): ByteString {
  const cells: ByteString[] = [];
  for (const value of values) cells.push(csvCell(value, isRaw));
  return cells.join();
}

function csvCell(json: ByteString, isRaw: boolean): ByteString {
  if (PLAIN.test(json)) return json.slice(1, -1);
  if (!json.startsWith('"')) return json === 'null' ? '' : json;
  const text = parseString(json);
  const cell = encodeUtf8(!isRaw && STARTS_AS_FORMULA.test(text) ? `'${text}` : text);
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const POSITION = /,"latitude":([^,]*),"longitude":([^,}]*)/;
const ID = /^\{("id":"[^"]*",)/;

/**
 * An object, such as a place with or without its details, as a feature (RFC 7946): all of its fields are the feature's
 * properties, its position is a point, and its id is the feature's too. Without a position the geometry is null.
 * Of the text alone, since an export would take longer if it parsed each; featureOf does the same to parsed rows.
 */
export function featureJson(object: ByteString): ByteString {
  const [, latitude = 'null', longitude = 'null'] = POSITION.exec(object) ?? [];
  const [, id = ''] = ID.exec(object) ?? [];
  const hasPosition = latitude !== 'null' && longitude !== 'null';
  const geometry = hasPosition ? `{"type":"Point","coordinates":[${longitude},${latitude}]}` : null;
  return `{"type":"Feature",${id}"geometry":${geometry},"properties":${object}}`;
}

/*
 * The data of any use case in other forms. JSON has no syntax beyond ASCII, so a ByteString is parsed and written as it
 * is: its texts are ByteStrings, and what was written by JSON.stringify is the same bytes again.
 */

type Row = Readonly<Record<string, unknown>>;

/** The counts of a page, as far as they are told beside a table. */
export interface PageCounts {
  readonly pageNumber: number;
  readonly totalCount: number;
  readonly hasNextPage: boolean;
}

interface Rows {
  readonly rows: readonly Row[];
  /** What stands beside a list: the counts of a page, the country and the code of places. Undefined for a single row. */
  readonly members: Row | undefined;
}

/** By the shapes that data have. Throws SnapshotError for what is no JSON. */
function rowsOf(data: ResponseData): Rows {
  const parsed = parseJson(responseText(data)) as Row | Row[];
  if (Array.isArray(parsed)) return { rows: parsed.flatMap(listParts), members: {} };
  const { items, places, ...members } = parsed;
  const list = items ?? places;
  return Array.isArray(list) ? { rows: list, members } : { rows: listParts(parsed), members: undefined };
}

/** An entry of a list as rows: a place with its distance is one object, a code in one country has several places. */
function listParts(entry: Row): readonly Row[] {
  const { place, places, ...rest } = entry;
  if (Array.isArray(places)) return places;
  return [typeof place === 'object' ? { ...place, ...rest } : entry];
}

/** A row as featureJson gives it: without a text of each, and a search in it, a long list takes a fifth less time. */
function featureOf(row: Row): object {
  const { latitude, longitude } = row;
  const id = Object.keys(row)[0] === 'id' ? row.id : undefined;
  const hasPosition = typeof latitude === 'number' && typeof longitude === 'number';
  const geometry = hasPosition ? { type: 'Point', coordinates: [longitude, latitude] } : null;
  return { type: 'Feature', id, geometry, properties: row };
}

/** The features of data, each with `more` behind its properties. Throws SnapshotError. */
export function listFeatures(data: ResponseData, more: Row = {}): ByteString[] {
  return rowsOf(data).rows.map((row) => featureJson(JSON.stringify({ ...row, ...more })));
}

/** A list as a collection of features, with what stands beside the list as members; one place as a feature. */
export function geoJsonOf(data: ResponseData): ByteString {
  const { rows, members } = rowsOf(data);
  const features = rows.map(featureOf);
  return JSON.stringify(members === undefined ? features[0] : { type: 'FeatureCollection', features, ...members });
}

/**
 * A list as CSV (RFC 4180) with a line of names; `a.b` is the column of the field b of the object a. With the counts of
 * the page if the list is one.
 */
export function csvOf(
  data: ResponseData,
  columns: readonly string[],
): { readonly text: ByteString; readonly page: PageCounts | undefined } {
  const { rows, members = {} } = rowsOf(data);
  const paths = columns.map((column) => column.split('.'));
  const cellOf = (row: Row, path: readonly string[]): ByteString =>
    JSON.stringify(path.reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row) ?? null);
  const lines = rows.map((row) => csvLine(paths.map((path) => cellOf(row, path))));
  const text = [columns.join(), ...lines, ''].join('\r\n');
  return { text, page: 'totalCount' in members ? (members as unknown as PageCounts) : undefined };
}
