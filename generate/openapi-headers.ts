/**
 * The headers of answers, as OpenAPI describes them: what each means, what it holds, and which answers have it. Headers
 * that HTTP itself defines for every message (Date, Connection, Content-Length, Content-Type) are left to HTTP.
 */

import { BULK_METHODS } from '../src/api/description/bulk-operation.js';
import type { JsonSchema } from '../src/api/description/json-schema.js';
import { COUNTRY_WITHOUT_DATA } from '../src/api/http/country-without-data.js';
import { EXPOSED_HEADERS, recordFixedHeaders } from '../src/api/http/fixed-headers.js';
import { ALLOWED_METHODS } from '../src/api/http/http-errors.js';
import { CATALOG_LINK, PUBLIC_CACHE_CONTROL } from '../src/api/http/public-routes.js';
import { CACHE_CONTROL, DESCRIPTION_LINK, NO_CACHE_CONTROL } from '../src/api/http/render-response.js';
import type { HeaderObject, ResponseObject } from './openapi-document.js';

const always = (description: string, schema: JsonSchema): HeaderObject => ({ description, required: true, schema });
const sometimes = (description: string, schema: JsonSchema): HeaderObject => ({ description, schema });
const text = (pattern: string): JsonSchema => ({ type: 'string', pattern });
const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
const exactly = (value: string): JsonSchema => ({ type: 'string', const: value });
const whole = (minimum: number): JsonSchema => ({ type: 'integer', minimum });

const CORS = 'CORS is open: browsers may call the API from any page';
const EXPOSED = 'The headers that scripts of other origins may read';

const FIXED_MEANINGS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': CORS,
  'access-control-expose-headers': EXPOSED,
  'content-security-policy': 'An answer is never a page',
  'cross-origin-resource-policy': 'Pages of any origin may embed answers',
  'x-content-type-options': 'Browsers must not guess another content type',
};

const fixed = Object.fromEntries(
  recordFixedHeaders().flatMap((name, at, flat): [string, HeaderObject][] => {
    if (at % 2 === 1) return [];
    const description = FIXED_MEANINGS[name];
    if (description === undefined) throw new Error(`the header ${name} has no description here`);
    return [[name, always(description, exactly(flat[at + 1] as string))]];
  }),
);

/** By the names under `components.headers`: that of the header, or of its variant in some answers. */
// biome-ignore format: a header is read at one look.
export const headerObjects: Readonly<Record<string, HeaderObject>> = {
  ...fixed,
  'access-control-allow-origin-key': sometimes(
    `${CORS}; with a publishable key only the page that sent the request may read the answer, where the key allows its origin`,
    text('^(\\*|https?://[^/]+)$')),
  'vary-key': sometimes(
    'What else the answer depends on: `Accept` where the operation has GeoJSON and `format` is left out, `Origin` with a publishable key',
    text('^(Origin|Accept|Origin, Accept)$')),
  'access-control-expose-headers-suggestions': always(
    `${EXPOSED}; also \`${COUNTRY_WITHOUT_DATA}\` where the answer has it`,
    oneOf(EXPOSED_HEADERS.join(), `${EXPOSED_HEADERS.join()}, ${COUNTRY_WITHOUT_DATA}`)),
  [COUNTRY_WITHOUT_DATA]: sometimes(
    'The country without data that the whole text is a name of, or the name of a city of, with 100,000 people or more, the largest of that name; not with `country`',
    text('^[A-Z]{2}$')),
  'x-total-count': sometimes('Of CSV: the entries on all pages', whole(0)),
  'link-next': sometimes('Of CSV: the next page, if there is one', text('rel="next"$')),
  'vary-photon': sometimes(
    'What else the answer depends on: `Accept-Language` where `lang` is left out, `Origin` with a publishable key',
    text('^(Origin|Accept-Language|Origin, Accept-Language)$')),
  'x-correlation-id': always(
    'Identifies the request, as `metadata.correlationId` does; quote it to support',
    { type: 'string', format: 'uuid' }),
  'x-dataset-release': always('The dataset release that was answered from, percent-encoded', text('^[!-~]+$')),
  'x-dataset-release-error': sometimes(
    'The dataset release that the server holds, percent-encoded; not where the request could not be read',
    text('^[!-~]+$')),
  'ratelimit-policy': sometimes(
    'What the plan of the key allows (draft-ietf-httpapi-ratelimit-headers-10): `burst` is how many requests may come ' +
    'at once (`q`) and how many seconds an idle key needs for them (`w`), `month` the quota of the calendar month in ' +
    'UTC. Only with a good key, and only the limits that its plan has; with a publishable key `burst` is the rate of ' +
    'the visitor, and there is no `month`',
    text('^"(burst|month)";q=\\d+;w=\\d+(, "month";q=\\d+;w=\\d+)?$')),
  ratelimit: sometimes(
    'What is left of each policy after this request (`r`), and after how many seconds there is more (`t`). Only with ' +
    'a good key, and only the limits that its plan has',
    text('^"(burst|month)";r=\\d+(;t=\\d+)?(, "month";r=\\d+;t=\\d+)?$')),
  etag: always(
    'Send it as If-None-Match to ask whether the answer is still the same: 304 if so',
    text('^(W/)?"[\\da-f-]+"$')),
  'cache-control': always('May be cached for an hour, by the client alone', exactly(CACHE_CONTROL)),
  'cache-control-public': always('May be cached for an hour, by anybody', exactly(PUBLIC_CACHE_CONTROL)),
  'cache-control-error': always('Errors and answers to POST are not cached', exactly(NO_CACHE_CONTROL)),
  'link-error': always('Where the description of the API is', exactly(DESCRIPTION_LINK)),
  'link-service': always('Where the description and the catalog are', exactly(`${DESCRIPTION_LINK}, ${CATALOG_LINK}`)),
  'link-catalog': always('Where the catalog is (RFC 9727)', exactly(CATALOG_LINK)),
  'www-authenticate': always('How to authenticate', text('^ApiKey ')),
  'retry-after': always('Whole seconds after which the request may succeed', whole(1)),
  allow: always('The methods that the path answers', oneOf(ALLOWED_METHODS, BULK_METHODS)),
  'access-control-allow-methods': always('The methods that browsers may use', oneOf(ALLOWED_METHODS, BULK_METHODS)),
  'access-control-allow-headers': always('The headers that browsers may send', oneOf('x-api-key', 'x-api-key,content-type')),
  'access-control-max-age': always('For how many seconds browsers need not ask again', whole(0)),
};

const ofAny = [...Object.keys(fixed), 'x-correlation-id'];
const ofEvery = [...ofAny, 'x-dataset-release'];
const limits = ['ratelimit-policy', 'ratelimit'];
const ofError = [...ofAny, 'x-dataset-release-error', 'cache-control-error', 'link-error'];
const ofSuccess = [...forKey(ofEvery), ...limits, 'cache-control', 'etag'];
const ofList = [...ofSuccess, 'x-total-count', 'link-next'];

/** The headers of each kind of answer but errors. `list`: of the operations with CSV. */
export const headersOf = {
  success: refs(ofSuccess),
  list: refs(ofList),
  suggestions: refs([...ofList, 'access-control-expose-headers-suggestions', COUNTRY_WITHOUT_DATA]),
  photon: refs([...ofSuccess, 'vary-photon']),
  photonStatus: refs([...ofEvery, 'cache-control-error', 'etag']),
  bulk: refs([...forKey(ofEvery), ...limits, 'cache-control-error']),
  service: refs([...ofEvery, 'cache-control', 'link-service']),
  document: refs([...ofEvery, 'cache-control-public', 'etag', 'link-catalog']),
  preflight: refs([
    ...forKey(ofEvery),
    ...['allow', 'access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age'],
  ]),
};

/** The header that only errors of this status have. */
const OF_STATUS: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

/** The headers of errors of a status; `hasKey` where the request may have come with a good key. */
export function headersOfError(status: number, hasKey: boolean): ResponseObject['headers'] {
  const mayHaveLimits = hasKey && [400, 404, 408, 413, 415, 429, 500].includes(status);
  return refs([
    ...(hasKey ? forKey(ofError) : ofError),
    ...(mayHaveLimits ? limits : []),
    ...(OF_STATUS[status] === undefined ? [] : [OF_STATUS[status]]),
  ]);
}

/** The headers of answers to requests with a key in place of these. */
function forKey(names: readonly string[]): string[] {
  const open = 'access-control-allow-origin';
  return [...names.map((name) => (name === open ? `${open}-key` : name)), 'vary-key'];
}

/** References to headers by the names above; the last word of a variant's name is no part of the header's name. */
function refs(names: readonly string[]): ResponseObject['headers'] {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/-(error|public|service|catalog|key|next|photon|suggestions)$/, ''),
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}
