/**
 * Photon's endpoints (komoot/photon, docs/api-v1.md): their parameters, read as Photon reads them, and what the
 * description of the API says of them. Numbers may have exponents, flags are true for 1, yes and true, limits are
 * clamped, and an unknown parameter is an error. A fault is a DomainError with one message.
 */

import { decodeQueryComponent, pieceName, pieceValue } from '../../base/query-string.js';
import { DomainError } from '../../core/use-cases/domain-error.js';
import { MAX_NEARBY_RADIUS_KM, REVERSE_RADIUS_KM } from '../../core/use-cases/nearby.js';
import {
  type Box,
  PHOTON_LAYERS,
  photonCountry,
  photonReverse,
  photonSearch,
  type TagFilter,
} from '../../core/use-cases/photon.js';
import type { UseCase } from '../../core/use-cases/service.js';
import { type JsonSchema, listOf, MAX_SUGGESTIONS, object, ref, text } from './field-schemas.js';
import { countryCode, languageTags, MAX_SEARCH_LENGTH, oneOf, type Rule, searchText } from './parameter-rules.js';
import { CONTROL_CHARACTERS, type Parameter, quote } from './parameters.js';
import { RATE_COSTS } from './rate-costs.js';
import type { Route } from './route.js';

/* The parameters. */

interface PhotonParameter<T> {
  readonly meaning: string;
  readonly rule: Pick<Rule<unknown>, 'allowed' | 'schema'>;
  readonly isRequired: boolean;
  /** The value of all texts that were sent under the name, in their order; undefined if they are not allowed. */
  readonly read: (texts: readonly string[]) => { readonly value: T } | undefined;
}

type PhotonParameters = Readonly<Record<string, PhotonParameter<unknown>>>;
type ValuesOf<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends PhotonParameter<infer T> ? T : never;
};

function one<T>(meaning: string, rule: Rule<T>): PhotonParameter<T | undefined>;
function one<T>(meaning: string, rule: Rule<T>, fallback: T): PhotonParameter<T>;
function one<T>(meaning: string, rule: Rule<T>, fallback?: T): PhotonParameter<T | undefined> {
  return {
    meaning,
    rule: fallback === undefined ? rule : { ...rule, schema: { ...rule.schema, default: fallback } },
    isRequired: false,
    read: ([text, ...more]) => {
      if (text === undefined) return { value: fallback };
      const value = more.length === 0 ? rule.parse(text) : undefined;
      return value === undefined ? undefined : { value };
    },
  };
}

function needed<T>(meaning: string, rule: Rule<T>): PhotonParameter<T> {
  const { read } = one(meaning, rule);
  return {
    meaning,
    rule,
    isRequired: true,
    read: (texts) => (texts.length === 0 ? undefined : (read(texts) as { readonly value: T } | undefined)),
  };
}

/** Maximum number of values of a parameter that can be repeated. */
const MAX_REPEATED = 10;

function several<T>(meaning: string, rule: Rule<T>): PhotonParameter<readonly T[]> {
  return {
    meaning: `${meaning}; may be repeated`,
    rule,
    isRequired: false,
    read: (texts) => {
      const value = texts.flatMap((text) => rule.parse(text) ?? []);
      return value.length < texts.length || texts.length > MAX_REPEATED ? undefined : { value };
    },
  };
}

/** Maximum number of characters of a number, more than any program writes. */
const MAX_NUMBER_CHARACTERS = 32;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function numberOf(text: string): number {
  return text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text) ? Number(text) + 0 : Number.NaN;
}

function number(min: number, max: number): Rule<number> {
  return {
    allowed: `a number from ${min} to ${max}`,
    parse: (text) => {
      const value = numberOf(text);
      return value >= min && value <= max ? value : undefined;
    },
    schema: { type: 'number', minimum: min, maximum: max },
  };
}

/** A number that is clamped to the limits. */
function clamped(min: number, max: number, type: 'integer' | 'number'): Rule<number> {
  return {
    allowed: `${type === 'integer' ? 'an integer' : 'a number'}, of which ${min} to ${max} count`,
    parse: (text) => {
      const value = type === 'integer' && !/^[+-]?\d+$/.test(text) ? Number.NaN : numberOf(text);
      return Number.isNaN(value) ? undefined : Math.min(max, Math.max(min, value));
    },
    schema: { type },
  };
}

/** Photon takes every text. */
const flag: Rule<boolean> = {
  allowed: '1, yes or true; anything else is false',
  parse: (text) => /^(?:1|yes|true)$/i.test(text),
  schema: { type: 'string' },
};

/** The languages of no request: names are as the data have them. */
const DEFAULT_LANGUAGE = 'default';

const language: Rule<string> = {
  allowed: `a language tag such as de or zh-TW, or ${DEFAULT_LANGUAGE}`,
  parse: (text) => (text === DEFAULT_LANGUAGE ? '' : text.includes(',') ? undefined : languageTags.parse(text)),
  schema: { type: 'string' },
};

const box: Rule<Box> = {
  allowed: 'minLon,minLat,maxLon,maxLat in degrees',
  parse: (text) => {
    const numbers = text.split(',', 5).map((part) => numberOf(part.trim()));
    const [west, south, east, north] = numbers as [number, number, number, number];
    const isBox = numbers.length === 4 && [west, east].every((lon) => Math.abs(lon) <= 180);
    if (!isBox || ![south, north].every((lat) => Math.abs(lat) <= 90)) return undefined;
    return [Math.min(west, east), Math.min(south, north), Math.max(west, east), Math.max(south, north)];
  },
  schema: { type: 'string' },
};

const TAG = /^(!?)([^:!]*)(?::(!?)([^:!]+))?$/;

const tagFilter: Rule<TagFilter> = {
  allowed: 'key, !key, key:value, !key:value, key:!value, :value or :!value',
  parse: (text) => {
    const [, notKey, key = '', notValue, value] = TAG.exec(text) ?? [];
    if (notKey === undefined || (key === '' && (value === undefined || notKey === '!'))) return undefined;
    const isExcluding = notKey === '!' || notValue === '!';
    const kind =
      notKey === '' && notValue === '!' && key !== '' ? 'exclude-value' : isExcluding ? 'exclude' : 'include';
    return { kind, key: key === '' ? undefined : key, value };
  },
  schema: { type: 'string' },
};

const noGeometry: Rule<boolean> = {
  allowed: 'false: the data have no geometries but points',
  parse: (text) => (flag.parse(text) ? undefined : false),
  schema: { type: 'string' },
};

function commonOf(defaultLimit: number, mostLimit: number) {
  return {
    limit: one('Maximum number of results', clamped(1, mostLimit, 'integer'), defaultLimit),
    lang: one('The language of names, that of Accept-Language if left out', language),
    layer: several('The layers of results', oneOf(PHOTON_LAYERS)),
    osm_tag: several('A filter of tags, whose key is place', tagFilter),
    dedupe: one('Whether results of one name, postal code and tag are one', flag, true),
    debug: one('Accepted, without influence', flag),
    geometry: one('Accepted where it is false', noGeometry),
  };
}

const reverseParameters = {
  lat: needed('The latitude', number(-90, 90)),
  lon: needed('The longitude', number(-180, 180)),
  radius: one(
    `The radius in kilometres, ${REVERSE_RADIUS_KM} if left out; a search reaches no farther than ${MAX_NEARBY_RADIUS_KM} km`,
    { ...number(0, 5_000), allowed: 'a number above 0, at most 5000', parse: parseRadius },
  ),
  distance_sort: one('Accepted, without influence: the nearest comes first', flag),
  ...commonOf(1, 50),
};

function parseRadius(text: string): number | undefined {
  const radius = number(0, 5_000).parse(text);
  return radius === 0 ? undefined : radius;
}

const searchParameters = {
  lat: one('The latitude of a point to favour, with lon', number(-90, 90)),
  lon: one('The longitude of a point to favour, with lat', number(-180, 180)),
  bbox: one('The box in which results lie', box),
  zoom: one('Accepted, without influence', clamped(0, 18, 'integer')),
  location_bias_scale: one('Accepted, without influence', clamped(0, 1, 'number')),
  ...commonOf(15, MAX_SUGGESTIONS),
};

const freeParameters = {
  q: needed('What to search for', searchText),
  countrycode: several('The country of results', countryCode),
  ...searchParameters,
};

const addressText: Rule<string> = {
  allowed: `a text of at most ${MAX_SEARCH_LENGTH} characters`,
  parse: (text) => (text.trim() !== '' && text.length <= MAX_SEARCH_LENGTH ? text.trim() : undefined),
  schema: { type: 'string' },
};

const structuredParameters = {
  countrycode: one('The country', countryCode),
  state: one('The state', addressText),
  county: one('The county', addressText),
  city: one('The city', addressText),
  district: one('The district of the city', addressText),
  postcode: one('The postal code', addressText),
  street: one('Accepted, without influence: the data have no streets', addressText),
  housenumber: one('Accepted, without influence', addressText),
  ...searchParameters,
};

/** Of an address, in the order in which a line of it has them. */
const ADDRESS = ['postcode', 'district', 'city', 'county', 'state'] as const;

/* The endpoints. */

/** A request whose parameters are read. */
export interface PhotonQuestion {
  /** A language tag, or empty for the data's own names; undefined where the request names none. */
  readonly lang: string | undefined;
  readonly answer: (snapshot: Parameters<UseCase<unknown>>[0]) => string;
}

export interface PhotonOperation {
  readonly id: 'photonReverse' | 'photonSearch' | 'photonStructured';
  readonly path: string;
  /** The operation that a publishable key must be good for. */
  readonly keyOperation: Route['id'];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Pick<Parameter<unknown>, 'name' | 'source' | 'isRequired' | 'meaning' | 'schema'>[];
  readonly example: Route['example'];
  /** Reads a query string. Throws DomainError VALIDATION_FAILED. `others` are the names of further parameters. */
  readonly read: (query: string, others: readonly string[]) => PhotonQuestion;
}

const ON_REQUEST = "Photon's protocol, served only with `PHOTON=on`.";

function operation<Table extends PhotonParameters>(
  table: Table,
  more: Omit<PhotonOperation, 'parameters' | 'read'>,
  ask: (values: ValuesOf<Table>) => PhotonQuestion['answer'],
): PhotonOperation {
  const parameters = Object.entries(table).map(([name, { meaning, rule, isRequired }]) => {
    return { name, source: 'query' as const, isRequired, meaning: `${meaning}: ${rule.allowed}`, schema: rule.schema };
  });
  return {
    ...more,
    description: `${more.description} ${RATE_COSTS[more.id].told} ${ON_REQUEST}`,
    parameters,
    read: (query, others) => {
      const values = readParameters(query, table, others);
      return { lang: values.lang as string | undefined, answer: ask(values) };
    },
  };
}

/** Maximum number of parameters of a request. */
const MAX_PIECES = 100;

function readParameters<Table extends PhotonParameters>(
  query: string,
  table: Table,
  others: readonly string[],
): ValuesOf<Table> {
  const texts = new Map<string, string[]>(Object.keys(table).map((name) => [name, []]));
  const pieces = query.split('&', MAX_PIECES + 1).filter((piece) => piece !== '');
  if (pieces.length > MAX_PIECES) throw invalid(`There are more than ${MAX_PIECES} parameters.`);
  for (const piece of pieces) {
    const name = pieceName(piece);
    if (others.includes(name)) continue;
    const known = texts.get(name);
    const allowed = Object.keys(table).join(', ');
    if (known === undefined)
      throw invalid(`Unknown query parameter ${quote(name)}. Allowed parameters are: ${allowed}.`);
    const text = decodeQueryComponent(pieceValue(piece));
    if (text === undefined || CONTROL_CHARACTERS.test(text)) {
      throw invalid(`The parameter '${name}' must be percent-encoded UTF-8 without control characters.`);
    }
    known.push(text);
  }
  const values = Object.entries(table).map(([name, { rule, isRequired, read }]) => {
    const sent = texts.get(name) as string[];
    const found = read(sent);
    if (found !== undefined) return [name, found.value];
    if (isRequired && sent.length === 0) throw invalid(`The parameter '${name}' is required: ${rule.allowed}.`);
    throw invalid(`Invalid value for '${name}': it must be ${rule.allowed}; got ${quote(sent.join(' '))}.`);
  });
  return Object.fromEntries(values) as ValuesOf<Table>;
}

function invalid(message: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message);
}

type Common = ValuesOf<ReturnType<typeof commonOf>>;

function filtersOf({ limit, layer, osm_tag, dedupe }: Common) {
  return { limit, layers: layer, tags: osm_tag, dedupe };
}

type Search = ValuesOf<typeof searchParameters>;

function searchOf(values: Search) {
  const { lat, lon, bbox } = values;
  if ((lat === undefined) !== (lon === undefined)) {
    throw invalid(`Missing parameter '${lat === undefined ? 'lat' : 'lon'}'.`);
  }
  return { ...filtersOf(values), lat, lon, box: bbox };
}

export const photonOperations: readonly PhotonOperation[] = [
  operation(
    reverseParameters,
    {
      id: 'photonReverse',
      path: '/reverse',
      keyOperation: 'reverse',
      summary: 'Photon: find what is at a point',
      description:
        'The settlements around a point, the nearest first and across borders, with all units above. With `layer` also ' +
        'the units above the nearest.',
      example: { lat: 40.75, lon: -73.99 },
    },
    (values) => (snapshot) => photonReverse(snapshot, { ...values, ...filtersOf(values) }),
  ),
  operation(
    freeParameters,
    {
      id: 'photonSearch',
      path: '/api',
      keyOperation: 'autocomplete',
      summary: 'Photon: search',
      description: 'What the text suggests: settlements, units, postal codes and countries, the best first.',
      example: { q: 'berlin', limit: 2 },
    },
    (values) => {
      const search = { ...searchOf(values), query: values.q, countries: values.countrycode };
      return (snapshot) => photonSearch(snapshot, search);
    },
  ),
  operation(
    structuredParameters,
    {
      id: 'photonStructured',
      path: '/structured',
      keyOperation: 'autocomplete',
      summary: 'Photon: search by the parts of an address',
      description: 'As the search, for the parts of an address. At least one part is required.',
      example: { city: 'berlin', countrycode: 'DE', limit: 1 },
    },
    (values) => {
      const { countrycode, street, housenumber } = values;
      const line = ADDRESS.flatMap((part) => values[part] ?? []).join(' ');
      if ([countrycode, street, housenumber, line || undefined].every((part) => part === undefined)) {
        throw invalid(`At least one of countrycode, street, housenumber, ${ADDRESS.join(', ')} is required.`);
      }
      const search = searchOf(values);
      if (line === '') return (snapshot) => photonCountry(snapshot, countrycode, search);
      const query = searchText.parse(line);
      if (query === undefined) throw invalid(`The parts of the address must be ${searchText.allowed} together.`);
      const countries = countrycode === undefined ? [] : [countrycode];
      return (snapshot) => photonSearch(snapshot, { ...search, query, countries });
    },
  ),
];

export const photonStatus = {
  id: 'photonStatus',
  path: '/status',
  summary: 'Photon: tell the status',
  description: `The status and the date of the data. Needs no key and costs no quota. ${ON_REQUEST}`,
};

/** The tag of these operations in the description of the API. */
export const PHOTON_TAG = 'Photon';
export const PHOTON_ERROR = "An error in Photon's form";

/* Schemas. */

const PhotonProperties = object(
  {
    osm_id: {
      type: 'integer',
      minimum: 0,
      description: 'A number of the place that stays, of no object of OpenStreetMap',
    },
    osm_key: { type: 'string', const: 'place' },
    osm_value: text('city, town or village by people, suburb, municipality, county, state, country or postcode'),
    type: text('The layer', { enum: PHOTON_LAYERS }),
    postcode: text('Its own postal code'),
    countrycode: text('ISO 3166-1 alpha-2 code', { pattern: '^[A-Z]{2}$' }),
    name: text('Name in the language of the request'),
    country: text('Name of the country'),
    city: text('Name of the city'),
    district: text('Name of the part of the city, or of the municipality'),
    state: text('Name of the first-level unit'),
    county: text('Name of the second-level unit'),
    extent: { ...listOf({ type: 'number' }, { maxItems: 4 }), description: 'West, north, east and south' },
  },
  ['osm_id', 'postcode', 'city', 'district', 'state', 'county', 'extent'],
);

export const photonSchemas = {
  PhotonFeatures: object({
    type: { type: 'string', const: 'FeatureCollection' },
    features: listOf(
      object({
        type: { type: 'string', const: 'Feature' },
        properties: ref('PhotonProperties'),
        geometry: object({
          type: { type: 'string', const: 'Point' },
          coordinates: { ...listOf({ type: 'number' }), description: 'Longitude, then latitude' },
        }),
      }),
    ),
  }),
  PhotonProperties,
  PhotonStatus: object({
    status: { type: 'string', const: 'Ok' },
    import_date: { type: ['string', 'null'], description: 'The date of the data' },
  }),
  PhotonError: object({ message: text('For people; its wording may change') }),
} satisfies Readonly<Record<string, JsonSchema>>;
