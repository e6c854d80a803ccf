/**
 * Responses as OpenAPI describes them. Those that all operations share stand under `components.responses`, once each;
 * an operation has its own success and its own 404.
 */

import { errorEnvelope } from '../src/api/description/answer-schemas.js';
import { BULK_METHODS, type BulkOperation, bindLookups } from '../src/api/description/bulk-operation.js';
import type { Route } from '../src/api/description/define-route.js';
import { exampleTarget } from '../src/api/description/define-route.js';
import type { ErrorCode } from '../src/api/description/error-codes.js';
import { type JsonSchema, ref } from '../src/api/description/json-schema.js';
import { PHOTON_ERROR } from '../src/api/description/photon-operations.js';
import { addEntry } from '../src/api/http/bulk-handler.js';
import { COUNTRY_WITHOUT_DATA } from '../src/api/http/country-without-data.js';
import { EXPOSED_HEADERS, recordFixedHeaders } from '../src/api/http/fixed-headers.js';
import { ALLOWED_METHODS } from '../src/api/http/http-errors.js';
import { CATALOG_LINK, PUBLIC_CACHE_CONTROL } from '../src/api/http/public-routes.js';
import { CACHE_CONTROL, DESCRIPTION_LINK, NO_CACHE_CONTROL } from '../src/api/http/render-response.js';
import { BufferSink } from '../src/core/snapshot/byte-string.js';
import type { Snapshot } from '../src/core/snapshot/snapshot.js';
import { readResponseData } from '../src/core/use-cases/response-data.js';
import { service } from '../src/core/use-cases/service.js';
import {
  bulkErrors,
  describeCodes,
  documentNotModified,
  keyedErrors,
  keylessErrors,
  notModified,
  ownNotFoundCodes,
  preflight,
  type SharedErrors,
  statusOf,
  unroutedErrors,
} from './shared-errors.js';

/* The parts of an OpenAPI 3.1 document that are written here, and read again by what is made of the document. */

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathObject>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** The one operation of a path, by its method. */
export interface PathObject {
  readonly get?: OperationObject;
  readonly post?: OperationObject;
}

export interface Reference {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Empty where no key is needed. */
  readonly security: readonly object[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: RequestBodyObject;
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string | number | boolean;
}

export interface RequestBodyObject {
  readonly description: string;
  readonly required: true;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

export interface ResponseObject {
  readonly description: string;
  /** References to `components.headers`. */
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

export interface HeaderObject {
  readonly description: string;
  readonly required?: true;
  readonly schema: JsonSchema;
}

/** An operation with its path and its method. */
export interface PlacedOperation extends OperationObject {
  readonly path: string;
  readonly method: 'GET' | 'POST';
}

/** The operations in the order of the document. */
export function listOperations({ paths }: Pick<OpenApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ ...get, path, method: 'GET' as const }]),
    ...(post === undefined ? [] : [{ ...post, path, method: 'POST' as const }]),
  ]);
}

/** Follows a reference into the document. */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.replace('#/', '').split('/');
  const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)?.[step], document);
  if (found === undefined) throw new Error(`the document has no ${value.$ref}`);
  return found as T;
}

/*
 * The headers of answers, as OpenAPI describes them: what each means, what it holds, and which answers have it. Headers
 * that HTTP itself defines for every message (Date, Connection, Content-Length, Content-Type) are left to HTTP.
 */

type Headers = ResponseObject['headers'];

const FIXED_MEANINGS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': 'CORS is open: browsers may call the API from any page',
  'access-control-expose-headers': 'The headers that scripts of other origins may read',
  'content-security-policy': 'An answer is never a page',
  'cross-origin-resource-policy': 'Pages of any origin may embed answers',
  'x-content-type-options': 'Browsers must not guess another content type',
};

const fixed = Object.fromEntries(
  pairsOf(recordFixedHeaders()).map(([name, value]): [string, HeaderObject] => {
    const description = FIXED_MEANINGS[name];
    if (description === undefined) throw new Error(`the header ${name} has no description here`);
    return [name, { description, required: true, schema: { type: 'string', const: value } }];
  }),
);

const RELEASE: JsonSchema = { type: 'string', pattern: '^[!-~]+$' };
const whole: JsonSchema = { type: 'integer', minimum: 0 };

/** By the names under `components.headers`. */
export const headerObjects: Readonly<Record<string, HeaderObject>> = {
  ...fixed,
  'access-control-allow-origin-key': {
    description:
      `${FIXED_MEANINGS['access-control-allow-origin']}; with a publishable key only the page that sent the request may ` +
      'read the answer, where the key allows its origin',
    schema: { type: 'string', pattern: '^(\\*|https?://[^/]+)$' },
  },
  'vary-key': {
    description:
      'What else the answer depends on: `Accept` where the operation has GeoJSON and `format` is left out, `Origin` with a ' +
      'publishable key',
    schema: { type: 'string', pattern: '^(Origin|Accept|Origin, Accept)$' },
  },
  'access-control-expose-headers-suggestions': {
    description: `${FIXED_MEANINGS['access-control-expose-headers']}; also \`${COUNTRY_WITHOUT_DATA}\` where the answer has it`,
    required: true,
    schema: { type: 'string', enum: [EXPOSED_HEADERS.join(), `${EXPOSED_HEADERS.join()}, ${COUNTRY_WITHOUT_DATA}`] },
  },
  [COUNTRY_WITHOUT_DATA]: {
    description:
      'Of an empty list: the country without data that the whole text is a name of, or the name of a city of, with ' +
      '100,000 people or more; not with `country`',
    schema: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
  'x-total-count': { description: 'Of CSV: the entries on all pages', schema: whole },
  'link-next': {
    description: 'Of CSV: the next page, if there is one',
    schema: { type: 'string', pattern: 'rel="next"$' },
  },
  'vary-photon': {
    description:
      'What else the answer depends on: `Accept-Language` where `lang` is left out, `Origin` with a publishable key',
    schema: { type: 'string', pattern: '^(Origin|Accept-Language|Origin, Accept-Language)$' },
  },
  'x-correlation-id': {
    description: 'Identifies the request, as `metadata.correlationId` does; quote it to support',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'x-dataset-release': {
    description: 'The dataset release that was answered from, percent-encoded',
    required: true,
    schema: RELEASE,
  },
  'x-dataset-release-error': {
    description: 'The dataset release that the server holds, percent-encoded; not where the request could not be read',
    schema: RELEASE,
  },
  'ratelimit-policy': {
    description:
      'What the plan of the key allows (draft-ietf-httpapi-ratelimit-headers-10): `burst` is how many requests may come ' +
      'at once (`q`) and how many seconds an idle key needs for them (`w`), `month` the quota of the calendar month in ' +
      'UTC. Only with a good key, and only the limits that its plan has; with a publishable key `burst` is the rate of ' +
      'the visitor, and there is no `month`',
    schema: { type: 'string', pattern: '^"(burst|month)";q=\\d+;w=\\d+(, "month";q=\\d+;w=\\d+)?$' },
  },
  ratelimit: {
    description:
      'What is left of each policy after this request (`r`), and after how many seconds there is more (`t`). Only with ' +
      'a good key, and only the limits that its plan has',
    schema: { type: 'string', pattern: '^"(burst|month)";r=\\d+(;t=\\d+)?(, "month";r=\\d+;t=\\d+)?$' },
  },
  etag: {
    description: 'Send it as If-None-Match to ask whether the answer is still the same: 304 if so',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[\\da-f-]+"$' },
  },
  'cache-control': cacheControl('May be cached for an hour, by the client alone', CACHE_CONTROL),
  'cache-control-public': cacheControl('May be cached for an hour, by anybody', PUBLIC_CACHE_CONTROL),
  'cache-control-error': cacheControl('Errors and answers to POST are not cached', NO_CACHE_CONTROL),
  'link-error': linkTo('Where the description of the API is', DESCRIPTION_LINK),
  'link-service': linkTo('Where the description and the catalog are', `${DESCRIPTION_LINK}, ${CATALOG_LINK}`),
  'link-catalog': linkTo('Where the catalog is (RFC 9727)', CATALOG_LINK),
  'www-authenticate': {
    description: 'How to authenticate',
    required: true,
    schema: { type: 'string', pattern: '^ApiKey ' },
  },
  'retry-after': {
    description: 'Whole seconds after which the request may succeed',
    required: true,
    schema: { ...whole, minimum: 1 },
  },
  allow: {
    description: 'The methods that the path answers',
    required: true,
    schema: { type: 'string', enum: [ALLOWED_METHODS, BULK_METHODS] },
  },
  'access-control-allow-methods': {
    description: 'The methods that browsers may use',
    required: true,
    schema: { type: 'string', enum: [ALLOWED_METHODS, BULK_METHODS] },
  },
  'access-control-allow-headers': {
    description: 'The headers that browsers may send',
    required: true,
    schema: { type: 'string', enum: ['x-api-key', 'x-api-key,content-type'] },
  },
  'access-control-max-age': {
    description: 'For how many seconds browsers need not ask again',
    required: true,
    schema: whole,
  },
};

/** References to headers by the names above; what stands behind the dash of a variant is no part of a header's name. */
function refs(...names: readonly string[]): Headers {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/-(error|public|service|catalog|key|next|photon|suggestions)$/, ''),
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

/** Those of answers to requests with a key in place of these. */
function forKey(names: readonly string[]): string[] {
  const [open, ofKey] = ['access-control-allow-origin', 'access-control-allow-origin-key'];
  return [...names.map((name) => (name === open ? ofKey : name)), 'vary-key'];
}

const ofAny = [...Object.keys(fixed), 'x-correlation-id'];
const ofEvery = [...ofAny, 'x-dataset-release'];
const ofKey = ['ratelimit-policy', 'ratelimit'];
const ofError = [...ofAny, 'x-dataset-release-error', 'cache-control-error', 'link-error'];

export const headersOfSuccess = refs(...forKey(ofEvery), ...ofKey, 'cache-control', 'etag');
/** Of the operations with CSV. */
export const headersOfList = { ...headersOfSuccess, ...refs('x-total-count', 'link-next') };
export const headersOfSuggestions = {
  ...headersOfList,
  ...refs('access-control-expose-headers-suggestions', COUNTRY_WITHOUT_DATA),
};
export const headersOfPhoton = refs(...forKey(ofEvery), ...ofKey, 'cache-control', 'etag', 'vary-photon');
export const headersOfPhotonStatus = refs(...ofEvery, 'cache-control-error', 'etag');
export const headersOfBulk = refs(...forKey(ofEvery), ...ofKey, 'cache-control-error');
export const headersOfService = refs(...ofEvery, 'cache-control', 'link-service');
export const headersOfDocument = refs(...ofEvery, 'cache-control-public', 'etag', 'link-catalog');
export const headersOfPreflight = refs(
  ...forKey(ofEvery),
  ...['allow', 'access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age'],
);

/** Those of errors of a status; `hasKey` where the request may have come with a good key. */
export function headersOfError(status: number, hasKey: boolean): Headers {
  const more: Readonly<Record<number, string>> = {
    401: 'www-authenticate',
    405: 'allow',
    429: 'retry-after',
    503: 'retry-after',
  };
  const own = more[status];
  const mayHaveLimits = hasKey && [400, 404, 408, 413, 415, 429, 500].includes(status);
  return refs(
    ...(hasKey ? forKey(ofError) : ofError),
    ...(mayHaveLimits ? ofKey : []),
    ...(own === undefined ? [] : [own]),
  );
}

function cacheControl(description: string, value: string): HeaderObject {
  return { description, required: true, schema: { type: 'string', const: value } };
}

function linkTo(description: string, value: string): HeaderObject {
  return { description, required: true, schema: { type: 'string', const: value } };
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] as string] as [string, string]] : []));
}

export const JSON_TYPE = 'application/json';

type Responses = Readonly<Record<string, ResponseObject | Reference>>;

/** Errors in Photon's form; those that end a request before its endpoint is known have the API's own. */
const photonErrors: Readonly<Record<string, number>> = {
  PhotonBadRequest: 400,
  PhotonUnauthorized: 401,
  PhotonForbidden: 403,
  PhotonMethodNotAllowed: 405,
  PhotonTooManyRequests: 429,
  PhotonInternalError: 500,
  PhotonServiceUnavailable: 503,
};
const PHOTON_KEYLESS = ['PhotonMethodNotAllowed', 'PhotonInternalError'];

export const sharedResponses: Readonly<Record<string, ResponseObject>> = {
  [notModified.name]: { description: notModified.description, headers: headersOfSuccess },
  [documentNotModified.name]: { description: documentNotModified.description, headers: headersOfDocument },
  [preflight.name]: { description: preflight.description, headers: headersOfPreflight },
  ...errorsOf({ ...keylessErrors, ...unroutedErrors }, false),
  ...errorsOf({ ...keyedErrors, ...bulkErrors }, true),
  ...Object.fromEntries(
    Object.entries(photonErrors).map(([name, status]) => {
      const content = { [JSON_TYPE]: { schema: ref('PhotonError') } };
      return [name, { description: PHOTON_ERROR, headers: headersOfError(status, status !== 405), content }];
    }),
  ),
};

/** Of an operation that needs a key; `codes` are those that its own parameters and use case can end with. */
export function keyedResponses(codes: readonly ErrorCode[], success: ResponseObject): Responses {
  const own = ownNotFoundCodes(codes);
  const notFound = own.length === 0 ? {} : { 404: errorResponse(404, own, true) };
  return { 200: success, 304: refTo(notModified.name), ...notFound, ...refsTo(keyedErrors) };
}

/** Of the bulk request. */
export function bulkResponses(success: ResponseObject): Responses {
  return { 200: success, ...refsTo(bulkErrors) };
}

/** Of an operation of Photon's protocol. */
export function photonResponses(answered: ResponseObject, hasKey: boolean): Responses {
  const names = Object.keys(photonErrors).filter((name) => hasKey || PHOTON_KEYLESS.includes(name));
  return {
    200: answered,
    304: { description: notModified.description, headers: answered.headers },
    ...Object.fromEntries(names.map((name) => [photonErrors[name], refTo(name)])),
  };
}

export function keylessResponses(success: ResponseObject, hasTag: boolean): Responses {
  return { 200: success, ...(hasTag ? { 304: refTo(documentNotModified.name) } : {}), ...refsTo(keylessErrors) };
}

export function success(
  description: string,
  headers: ResponseObject['headers'],
  schema: JsonSchema,
  { type = JSON_TYPE, example }: { readonly type?: string; readonly example?: unknown } = {},
): ResponseObject {
  return { description, headers, content: { [type]: example === undefined ? { schema } : { schema, example } } };
}

function errorsOf(table: SharedErrors, hasKey: boolean): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(table).map(([name, codes]) => [name, errorResponse(statusOf(codes), codes, hasKey)]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], hasKey: boolean): ResponseObject {
  return {
    description: describeCodes(codes),
    headers: headersOfError(status, hasKey),
    content: { [JSON_TYPE]: { schema: errorEnvelope(status, codes) } },
  };
}

function refsTo(table: SharedErrors): Responses {
  return Object.fromEntries(Object.entries(table).map(([name, codes]) => [statusOf(codes), refTo(name)]));
}

function refTo(name: string): Reference {
  return { $ref: `#/components/responses/${name}` };
}

/* What the service answers to the examples of the route table. */

/** Gives the data of an operation for its example. */
export type Answerer = (operation: Route | BulkOperation) => unknown;

/**
 * Answers from a snapshot of the starter dataset: so each example can be had from a server that `npm start` started.
 */
export function answererOf(snapshot: Snapshot): Answerer {
  const lookUp = bindLookups(service);
  return (operation) => {
    if ('body' in operation) {
      return operation.example.lookups.map((lookup) => {
        const out = new BufferSink(0);
        addEntry(out, () => lookUp(snapshot, lookup, {}), rethrow);
        return JSON.parse(out.bytes.toString());
      });
    }
    const { bind, example } = operation;
    return JSON.parse(readResponseData(bind(service)(snapshot, exampleTarget(operation, example))));
  };
}

function rethrow(defect: unknown): never {
  throw defect;
}
