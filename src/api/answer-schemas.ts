/**
 * What answers hold, as JSON Schemas by name: the resources and the two envelopes. The description of the API has them
 * under `components.schemas`, and the routes refer to them with `ref`. Limits and lists come from the code that keeps to
 * them.
 */
import { bulkSchemas } from './bulk-schemas.js';
import { changeSchemas } from './change-schemas.js';
import { countrySchemas } from './country-schemas.js';
import type { ErrorCode } from './error-codes.js';
import { errorObject } from './error-schema.js';
import { UUID } from './field-schemas.js';
import { type JsonSchema, object, ref, text } from './json-schema.js';
import { placeSchemas } from './place-schemas.js';
import { postcodeSchemas } from './postcode-schemas.js';
import { searchSchemas } from './search-schemas.js';

const ParameterFault = object({
  param: text('Name of the parameter as it was sent or should be sent'),
  message: text('What is wrong, for people; its wording may change'),
  expected: text('What is allowed'),
});

const Metadata = object({ correlationId: text('Identifies the request; quote it to support', UUID) });

const Service = object({
  name: text('Name of the API'),
  summary: text('What the API is, in one sentence'),
  version: text('Version of the service'),
  description: text('Path of this description'),
  attribution: text('What to credit where the data are shown'),
  license: object({ name: text('Licence of the data'), identifier: text('SPDX identifier of the licence') }),
});

export const answerSchemas = {
  ...countrySchemas,
  ...placeSchemas,
  ...postcodeSchemas,
  ...changeSchemas,
  ...searchSchemas,
  ...bulkSchemas,
  ...{ Service, ParameterFault, Metadata },
};

/** What a success holds around its data. */
export function successEnvelope(data: JsonSchema): JsonSchema {
  return object({ statusCode: { const: 200 }, data, metadata: ref('Metadata') });
}

/** The envelope of an error of this status, with one of these codes. */
export function errorEnvelope(status: number, codes: readonly ErrorCode[]): JsonSchema {
  return object({ statusCode: { const: status }, error: errorObject(codes), metadata: ref('Metadata') });
}
