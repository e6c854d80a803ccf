/**
 * The bulk request: many lookups in one body. A lookup is the parameters of one of the routes in a JSON object, and its
 * keys say which route: one with `postcode` is a request for that postal code. It is made a target of that route, so
 * rules, messages and answers are those of the route, and so are parameters that the route gets later. What stands
 * beside `lookups` in the body is the value for every lookup that has none of its own.
 */
import { DomainError } from '../service/domain-error.js';
import type { ResponseData } from '../service/response-data.js';
import type { Service, UseCase } from '../service/service.js';
import { bulkBody, MAX_BULK_BYTES, MAX_LOOKUPS } from './bulk-schemas.js';
import { type JsonSchema, listOf, ref } from './json-schema.js';
import { optional, type Parameter, type Target, WrongValue } from './params.js';
import type { Operation, Route } from './route.js';
import { routes } from './routes.js';
import { oneOf } from './rules.js';

export const BULK_PATH = '/v1/bulk';
export const BULK_METHODS = 'POST, OPTIONS';
/** Milliseconds in which the body must come, as long as for the headers of a request. */
export const BULK_BODY_TIMEOUT_MS = 10_000;

export const LINES_TYPE = 'application/x-ndjson';

const TARGET = /^\/v1\/bulk\/?(?:[?#]|$)/;

/** Whether the target of a request is that of bulk requests, as the routes see it. */
export function isBulkTarget(url: string | undefined): boolean {
  return url !== undefined && TARGET.test(url);
}

export type BulkFormat = 'json' | 'ndjson';

const bulkFormat: Parameter<BulkFormat> = optional(
  'format',
  'The form of the answer, json if left out; ndjson streams one entry a line, without an envelope',
  oneOf<BulkFormat>(['json', 'ndjson']),
  'json',
);

/** The form of the answer that the query string asks for. Throws DomainError VALIDATION_FAILED. */
export function readBulkFormat(query: string): BulkFormat {
  const format = bulkFormat.read({ path: {}, query });
  if (!(format instanceof WrongValue)) return format;
  const fault = format.describe(() => undefined);
  throw new DomainError('VALIDATION_FAILED', fault.message, [fault]);
}

/** What the description of the API says of the bulk request. */
export interface BulkOperation extends Omit<Operation, 'example'> {
  readonly id: 'bulk';
  readonly path: string;
  readonly parameters: readonly Parameter<unknown>[];
  readonly body: JsonSchema;
  /** Of the body, such that the starter dataset has answers. */
  readonly example: { readonly lookups: readonly Lookup[] };
  /** A line of the streamed answer. */
  readonly line: JsonSchema;
}

export const bulkOperation: BulkOperation = {
  id: 'bulk',
  path: BULK_PATH,
  parameters: [bulkFormat],
  summary: 'Look up many things at once',
  description:
    `1 to ${MAX_LOOKUPS.toLocaleString('en-US')} lookups, answered in their order: postal codes, positions, paths, ids ` +
    'and names, each as the request that asks for it alone, with the same parameters. A lookup that fails is an entry ' +
    'with its error, and the others are answered. Each lookup costs one request of the quota and of the rate, all or ' +
    'none: where too few are left, the answer is 429 and nothing is counted; more lookups than the plan allows at once ' +
    `are a 400 that counts nothing. The body has at most ${MAX_BULK_BYTES.toLocaleString('en-US')} bytes of JSON, not compressed. ` +
    'A body that is refused costs one request.',
  data: listOf(ref('BulkEntry'), { maxItems: MAX_LOOKUPS }),
  errors: ['VALIDATION_FAILED'],
  body: bulkBody,
  line: ref('BulkEntry'),
  example: {
    lookups: [
      { country: 'DE', postcode: '10115' },
      { lat: 52.53, lng: 13.38, country: 'DE' },
      { country: 'DE', path: '/berlin/nowhere' },
      { q: 'ber', country: 'DE', limit: 1 },
    ],
  },
};

/** A JSON object of untrusted content. */
export type Lookup = Readonly<Record<string, unknown>>;

/** The snapshot that use cases take: the API's own tables import nothing of it. */
type Snapshot = Parameters<UseCase<Target>>[0];

/** The answer to one lookup. Throws as the route that it names. */
export type LookUp = (snapshot: Snapshot, lookup: unknown, shared: Lookup) => ResponseData;

/** The routes of lookups, each with the keys that only its lookups have. */
const ROUTE_KEYS: readonly (readonly [id: keyof Service, keys: readonly string[]])[] = [
  ['findPostcode', ['postcode']],
  ['reverse', ['lat', 'lng']],
  ['resolvePath', ['path']],
  ['getPlace', ['id']],
  ['autocomplete', ['q']],
];

const SHAPES = 'an object with exactly one of postcode, lat and lng, path, id, q';

const SCALAR = 'a text, a number, true or false';

interface LookupRoute {
  readonly keys: readonly string[];
  readonly inPath: readonly string[];
  /** The names of its parameters, whose values must be scalars. */
  readonly names: ReadonlySet<string>;
  readonly answer: (snapshot: Snapshot, target: Target) => ResponseData;
}

/** Binds the routes of lookups to a service. */
export function bindLookups(service: Service): LookUp {
  const lookupRoutes = ROUTE_KEYS.map(([id, keys]): LookupRoute => {
    const { parameters, bind } = routes.find((route) => route.id === id) as Route;
    return {
      keys,
      inPath: parameters.flatMap(({ source, name }) => (source === 'path' ? [name] : [])),
      names: new Set(parameters.map(({ name }) => name)),
      answer: bind(service),
    };
  });
  return (snapshot, lookup, shared) => {
    if (typeof lookup !== 'object' || lookup === null) throw notOneRoute();
    const own = lookup as Lookup;
    let route: LookupRoute | undefined;
    for (const candidate of lookupRoutes) {
      if (!isMeant(candidate, own)) continue;
      if (route !== undefined) throw notOneRoute();
      route = candidate;
    }
    if (route === undefined) throw notOneRoute();
    return route.answer(snapshot, toTarget(route, own, shared));
  };
}

function notOneRoute(): DomainError {
  return invalid('lookups', `a lookup must be ${SHAPES}`, SHAPES);
}

function isMeant({ keys }: LookupRoute, own: Lookup): boolean {
  for (const key of keys) if (isGiven(own, key)) return true;
  return false;
}

/** The target of the request that asks for the lookup alone. */
function toTarget({ inPath, names }: LookupRoute, own: Lookup, shared: Lookup): Target {
  const path: Record<string, string> = {};
  for (const name of inPath) {
    const text = encode(name, isGiven(own, name) ? own[name] : shared[name]);
    if (text !== undefined) path[name] = text;
  }
  let query = '';
  const add = (values: Lookup, name: string): void => {
    if (inPath.includes(name) || !(names.has(name) || isScalar(values[name]))) return;
    const text = encode(name, values[name]);
    if (text !== undefined) query += `${query === '' ? '' : '&'}${encodeText(name, name)}=${text}`;
  };
  for (const name of Object.keys(own)) add(own, name);
  for (const name of Object.keys(shared)) if (!isGiven(own, name)) add(shared, name);
  return { path, query };
}

/** Whether the object has the key itself. Null stands for a value that is left out, as many programs write it. */
function isGiven(values: Lookup, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== null;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The value as the text of a parameter, percent-encoded; undefined for one that is left out. */
function encode(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw invalid(name, `${name} must be ${SCALAR}`, SCALAR);
  return encodeText(name, typeof value === 'number' ? toDecimal(value) : String(value));
}

/** Text that stays as it is. */
const PLAIN = /^[A-Za-z0-9]*$/;

function encodeText(name: string, text: string): string {
  if (PLAIN.test(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalid(name, `${JSON.stringify(name)} has half of a surrogate pair`, 'well-formed Unicode');
  }
}

/** Small numbers without the exponent with which JSON writers put them, because no rule takes one. */
function toDecimal(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

function invalid(param: string, message: string, expected: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message, [{ param, message, expected }]);
}
