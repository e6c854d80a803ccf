/** The operations that need no key and cost no quota: the service, its description, the release, the catalog of APIs. */

import { successAnswerSchema } from './answer-schemas.js';
import { type JsonSchema, listOf, object, ref, text } from './json-schema.js';

export const DESCRIPTION_PATH = '/openapi.json';
export const RELEASE_PATH = '/v1/release';
export const CATALOG_PATH = '/.well-known/api-catalog';
export const CATALOG_CONTENT_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export interface PublicOperation {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  /** Describes a success in the document. */
  readonly meaning: string;
  /** Of a success; without `type` it is JSON. */
  readonly body: JsonSchema;
  readonly type?: string;
  /** Whether a success has an entity tag. */
  readonly hasTag: boolean;
}

export const PUBLIC_DESCRIPTION = 'Needs no key and costs no quota.';

const openApi = object({ openapi: text('Version of OpenAPI'), info: { type: 'object' }, paths: { type: 'object' } });
const link = object({ href: text('Where it is'), type: text('Its media type') });

export const publicOperations: readonly PublicOperation[] = [
  {
    id: 'getService',
    path: '/',
    summary: 'Name the service',
    meaning: 'What the service is',
    body: successAnswerSchema(ref('Service')),
    hasTag: false,
  },
  {
    id: 'getDescription',
    path: DESCRIPTION_PATH,
    summary: 'Get this description',
    meaning: 'This document',
    body: { ...openApi, additionalProperties: true },
    hasTag: true,
  },
  {
    id: 'getRelease',
    path: RELEASE_PATH,
    summary: 'Name the release',
    meaning: 'The release that is served, with its countries and versions',
    body: successAnswerSchema(ref('Release')),
    hasTag: true,
  },
  {
    id: 'getCatalog',
    path: CATALOG_PATH,
    summary: 'Get the catalog of APIs (RFC 9727)',
    meaning: 'A set of links (RFC 9264)',
    body: object({ linkset: listOf(object({ anchor: text('The API'), 'service-desc': listOf(link) })) }),
    type: CATALOG_CONTENT_TYPE.replace(/;.*/, ''),
    hasTag: true,
  },
];
