/**
 * Responses as OpenAPI describes them. Those that all operations share stand under `components.responses`, once each;
 * an operation has its own success and its own 404.
 */
import { errorEnvelope } from '../src/api/answer-schemas.js';
import type { ErrorCode } from '../src/api/error-codes.js';
import type { JsonSchema } from '../src/api/json-schema.js';
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
} from '../src/api/responses.js';
import type { Reference, ResponseObject } from './openapi-document.js';
import { headersOfDocument, headersOfError, headersOfPreflight, headersOfSuccess } from './openapi-headers.js';

export const JSON_TYPE = 'application/json';

type Responses = Readonly<Record<string, ResponseObject | Reference>>;

export const sharedResponses: Readonly<Record<string, ResponseObject>> = {
  [notModified.name]: { description: notModified.description, headers: headersOfSuccess },
  [documentNotModified.name]: { description: documentNotModified.description, headers: headersOfDocument },
  [preflight.name]: { description: preflight.description, headers: headersOfPreflight },
  ...errorsOf({ ...keylessErrors, ...unroutedErrors }, false),
  ...errorsOf({ ...keyedErrors, ...bulkErrors }, true),
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
