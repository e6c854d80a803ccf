/**
 * Responses as OpenAPI describes them. Those that all operations share stand under `components.responses`, once each;
 * an operation has its own success and its own 404.
 */

import { errorAnswerSchema } from '../src/api/description/answer-schemas.js';
import type { ErrorCode } from '../src/api/description/error-codes.js';
import { type JsonSchema, ref } from '../src/api/description/json-schema.js';
import { PHOTON_ERROR } from '../src/api/description/photon-operations.js';
import type { Reference, ResponseObject } from './openapi-document.js';
import { headersOf, headersOfError } from './openapi-headers.js';
import {
  bulkErrors,
  describeCodes,
  documentNotModified,
  keyedErrors,
  keylessErrors,
  notModified,
  preflight,
  type SharedErrors,
  statusOfSharedError,
  unroutedErrors,
  unsharedNotFoundErrors,
} from './shared-errors.js';

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
  [notModified.name]: { description: notModified.description, headers: headersOf.success },
  [documentNotModified.name]: { description: documentNotModified.description, headers: headersOf.document },
  [preflight.name]: { description: preflight.description, headers: headersOf.preflight },
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
  const own = unsharedNotFoundErrors(codes);
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

export function successResponse(
  description: string,
  headers: ResponseObject['headers'],
  schema: JsonSchema,
  { type = JSON_TYPE, example }: { readonly type?: string; readonly example?: unknown } = {},
): ResponseObject {
  return { description, headers, content: { [type]: example === undefined ? { schema } : { schema, example } } };
}

function errorsOf(table: SharedErrors, hasKey: boolean): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(table).map(([name, codes]) => [name, errorResponse(statusOfSharedError(codes), codes, hasKey)]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], hasKey: boolean): ResponseObject {
  return {
    description: describeCodes(codes),
    headers: headersOfError(status, hasKey),
    content: { [JSON_TYPE]: { schema: errorAnswerSchema(status, codes) } },
  };
}

function refsTo(table: SharedErrors): Responses {
  return Object.fromEntries(Object.entries(table).map(([name, codes]) => [statusOfSharedError(codes), refTo(name)]));
}

function refTo(name: string): Reference {
  return { $ref: `#/components/responses/${name}` };
}
