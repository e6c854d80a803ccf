/**
 * The headers of answers, as OpenAPI describes them: what each means, what it holds, and which answers have it. Headers
 * that HTTP itself defines for every message (Date, Connection, Content-Length, Content-Type) are left to HTTP.
 */

import { BULK_METHODS } from '../src/api/bulk.js';
import type { JsonSchema } from '../src/api/json-schema.js';
import { CATALOG_LINK, PUBLIC_CACHE_CONTROL } from '../src/http/api-description.js';
import { ALLOWED_METHODS } from '../src/http/errors.js';
import { recordFixedHeaders } from '../src/http/fixed-headers.js';
import { CACHE_CONTROL, DESCRIPTION_LINK, NO_CACHE_CONTROL } from '../src/http/render.js';
import type { HeaderObject, ResponseObject } from './openapi-document.js';

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
    description: 'What else the answer depends on; with a publishable key only',
    schema: { type: 'string', const: 'Origin' },
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
      name.replace(/-(error|public|service|catalog|key)$/, ''),
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
