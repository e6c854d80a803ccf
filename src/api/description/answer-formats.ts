/**
 * The formats of answers beside JSON: which route has which, the parameter that asks for one, and the data of a route as
 * GeoJSON or CSV. The renderers are those of core's tables, for all routes; a route has a say only in the columns of its
 * CSV. A request for JSON costs one scan of its query.
 */

import { csvOf } from '../../core/answers/csv.js';
import { geoJsonOf } from '../../core/answers/geojson.js';
import type { ResponseData } from '../../core/answers/response-data.js';
import type { PageCounts } from '../../core/answers/response-rows.js';
import type { Service, UseCase } from '../../core/answers/service.js';
import { PLACE_COLUMNS } from '../../core/answers/tables.js';
import type { ByteString } from '../../core/snapshot/byte-string.js';
import type { Route } from './define-route.js';
import { UUID } from './field-schemas.js';
import { type JsonSchema, listOf, object, ref, text } from './json-schema.js';
import { wordRule } from './parameter-rules.js';
import { optional, type Parameter, type Target, WrongValue } from './parameters.js';

export type Format = 'json' | 'geojson' | 'csv';

/** The name of the parameter. */
export const FORMAT = 'format';

/** The media types of answers in each format; http/render-response.ts has that of JSON. */
export const MEDIA_TYPES = {
  geojson: 'application/geo+json',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;

const MEANING = 'The format of the answer, json if left out';

/** The parameter of a route with a list. */
export const listFormat = optional(FORMAT, MEANING, wordRule<Format>(['json', 'geojson', 'csv']));
/** The parameter of a route with one place. */
export const placeFormat = optional(FORMAT, MEANING, wordRule<Format>(['json', 'geojson']));

/** The formats of a route, JSON first; empty for a route without the parameter. */
export function formatsOf({ parameters }: { readonly parameters: readonly Parameter<unknown>[] }): readonly string[] {
  return (parameters.find(({ name }) => name === FORMAT)?.schema.enum as readonly string[] | undefined) ?? [];
}

/**
 * Makes a function that gives the format that a query string asks for, undefined for none. It gives JSON for a wrong
 * value, which the route refuses.
 */
export function createFormatReader({ parameters }: Pick<Route, 'parameters'>): (query: string) => Format | undefined {
  const parameter = parameters.find(({ name }) => name === FORMAT);
  if (parameter === undefined) return () => undefined;
  return (query) => {
    if (!query.includes(FORMAT) && !query.includes('%')) return undefined;
    const format = parameter.read({ path: {}, query });
    return format instanceof WrongValue ? 'json' : (format as Format | undefined);
  };
}

/* GeoJSON (RFC 7946), as JSON Schemas by name. */

const Point = object({
  type: { const: 'Point' },
  coordinates: { ...listOf({ type: 'number' }, { maxItems: 2 }), minItems: 2, description: 'Longitude and latitude' },
});

const Feature = object(
  {
    type: { const: 'Feature' },
    id: text('Id of the place', UUID),
    geometry: { anyOf: [Point, { type: 'null' }], description: 'Null where there is no position' },
    properties: { type: 'object', additionalProperties: true, description: 'The fields of the place, code or country' },
    metadata: ref('Metadata'),
  },
  ['id', 'metadata'],
);

const FeatureCollection = {
  ...object({ type: { const: 'FeatureCollection' }, features: listOf(ref('Feature')), metadata: ref('Metadata') }),
  additionalProperties: true,
  description: 'Further members are the fields that the JSON has beside the list, such as the counts of a page',
};

export const formatSchemas = { Feature, FeatureCollection };

/* The columns of CSV: the fields of the answer that are no lists, in its order. New columns are added at the end. */

const PLACE = PLACE_COLUMNS.map(({ name }) => name);
const PLACE_DETAIL = [...PLACE, ...'childCount codes.iso3166_2 codes.release timezone population'.split(' ')];
const CITY = 'city.id city.name city.path city.url'.split(' ');
const NEARBY_POSTCODE = 'countryCode postcode latitude longitude distanceKm'.split(' ');

export const CSV_COLUMNS: Readonly<Partial<Record<Route['id'], readonly string[]>>> = {
  listCountries: (
    'code alpha3 name slug region subRegion currencyCode timezone latitude longitude ' +
    'postalCodeFormat hasPostcodes url'
  ).split(' '),
  listPlaces: PLACE,
  listChildren: PLACE,
  findPostcode: [...PLACE_DETAIL, ...CITY],
  findPostcodes: [...PLACE_DETAIL, ...CITY],
  listPostcodes: 'postcode latitude longitude placeCount'.split(' '),
  nearby: [...PLACE_DETAIL, 'distanceKm', ...CITY],
  autocomplete: (
    'kind name countryCode countryName postalCode path url placeName placeCount ' +
    'id level type localName latitude longitude population label city.id city.name city.path city.url'
  ).split(' '),
};

/** Describes the route's CSV columns for OpenAPI. */
export function describeCsv({ id }: Route): JsonSchema {
  const columns = (CSV_COLUMNS[id] as readonly string[]).join();
  const others = id === 'nearby' ? ` With \`by=postcode\`: ${NEARBY_POSTCODE.join()}` : '';
  return text(`RFC 4180. Columns: ${columns}.${others}`);
}

function columnsOf({ id, parameters }: Route, query: string): readonly string[] {
  const by = parameters.find(({ name }) => name === 'by')?.read({ path: {}, query });
  return by === 'postcode' ? NEARBY_POSTCODE : (CSV_COLUMNS[id] as readonly string[]);
}

export interface FormattedAnswer {
  readonly text: ByteString;
  /** Of CSV, which has no place for them. */
  readonly page?: PageCounts | undefined;
}

/** The data of a route in a format that it has; `query` is that of the request. */
export function formatAnswer(
  route: Route,
  format: Exclude<Format, 'json'>,
  data: ResponseData,
  query: string,
): FormattedAnswer {
  return format === 'geojson' ? { text: geoJsonOf(data) } : csvOf(data, columnsOf(route, query));
}

/** Binds a route to a service: the result gives the data in the format that the request asks for. */
export function bindAnswerFormats(route: Route, service: Service): UseCase<Target> {
  const answer = route.bind(service);
  const readFormat = createFormatReader(route);
  return (snapshot, target) => {
    const data = answer(snapshot, target);
    const format = readFormat(target.query) ?? 'json';
    return format === 'json' ? data : formatAnswer(route, format, data, target.query).text;
  };
}
