/**
 * Photon's endpoints (komoot/photon, docs/api-v1.md): what they answer, and how the description of the API describes them.
 * An unknown parameter is an error. Only the first fault of a request is reported.
 */

import { queryPieceName } from '../../base/query-string.js';
import { PHOTON_LAYERS, photonCountry, photonReverse, photonSearch } from '../../core/answers/photon.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Route } from './define-route.js';
import { type JsonSchema, listOf, object, ref, text } from './json-schema.js';
import { searchText } from './parameter-rules.js';
import { type Parameter, quoteSent, WrongValue } from './parameters.js';
import { freeParameters, reverseParameters, structuredParameters } from './photon-parameters.js';
import { RATE_COSTS } from './rate-costs.js';

/** Of an address, in the order in which a line of it has them. */
const ADDRESS = ['postcode', 'district', 'city', 'county', 'state'] as const;

/** A request whose parameters are read. */
export interface PhotonQuestion {
  /** A language tag, or empty for the data's own names; undefined where the request names none. */
  readonly lang: string | undefined;
  readonly answer: (snapshot: Snapshot) => string;
}

export interface PhotonOperation {
  readonly id: 'photonReverse' | 'photonSearch' | 'photonStructured';
  readonly path: string;
  /** The operation that a publishable key must be good for. */
  readonly keyOperation: Route['id'];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter<unknown>[];
  readonly example: Route['example'];
  /** Reads a query string; `others` are the names of further parameters that are allowed. */
  readonly read: (query: string, others: readonly string[]) => PhotonQuestion;
}

const ON_REQUEST = "Photon's protocol, served only with `PHOTON=on`.";

type PhotonParameters = Readonly<Record<string, Parameter<unknown>>>;
type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer T> ? T : never;
};

function operation<Table extends PhotonParameters>(
  table: Table,
  more: Omit<PhotonOperation, 'parameters' | 'read'>,
  ask: (values: ValuesOf<Table>) => PhotonQuestion['answer'],
): PhotonOperation {
  return {
    ...more,
    description: `${more.description} ${RATE_COSTS[more.id].told} ${ON_REQUEST}`,
    parameters: Object.values(table),
    read: (query, others) => {
      const values = readParameters(query, table, others);
      return { lang: values.lang as string | undefined, answer: ask(values) };
    },
  };
}

function readParameters<Table extends PhotonParameters>(
  query: string,
  table: Table,
  others: readonly string[],
): ValuesOf<Table> {
  const names = Object.keys(table);
  for (const piece of query.split('&')) {
    const name = queryPieceName(piece);
    if (piece === '' || names.includes(name) || others.includes(name)) continue;
    throw invalid(`Unknown query parameter ${quoteSent(name)}. Allowed parameters are: ${names.join(', ')}.`);
  }
  const values = Object.entries(table).map(([name, parameter]) => {
    const value = parameter.read({ path: {}, query });
    if (value instanceof WrongValue) throw invalid(`${value.sentence}.`);
    return [name, value];
  });
  return Object.fromEntries(values) as ValuesOf<Table>;
}

function invalid(message: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message);
}

type Search = Omit<ValuesOf<typeof freeParameters>, 'q' | 'countrycode'>;

function filtersOf({ limit, layer, osm_tag, dedupe }: Pick<Search, 'limit' | 'layer' | 'osm_tag' | 'dedupe'>) {
  return { limit, layers: layer, tags: osm_tag, dedupe };
}

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
        'The settlements around a point in the country that contains it, the nearest first, with all units above. With ' +
        '`layer` also the units above the nearest.',
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
