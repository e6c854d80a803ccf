/** What an error tells, as JSON Schema: that of a response, and that of a lookup of a bulk request. */
import { codesWithDetails, type ErrorCode } from './error-codes.js';
import { type JsonSchema, listOf, object, ref, text } from './json-schema.js';

const DETAILS = `The faulty parameters in the order of the endpoint, then unknown parameters that look like a known one. \
Every \`VALIDATION_FAILED\` of a parameter has them, \`COUNTRY_NOT_FOUND\` and that of \`findPostcode\`, \
\`POSTCODE_NOT_FOUND\`, where another code was probably meant`;

/** An error with one of these codes. */
export function errorObject(codes: readonly ErrorCode[]): JsonSchema {
  const fields = {
    message: text('For people; its wording may change'),
    code: text('For programs', { enum: [...codes] }),
  };
  const details = { ...listOf(ref('ParameterFault')), minItems: 1, description: DETAILS };
  const hasDetails = codes.some((code) => codesWithDetails.includes(code));
  return hasDetails ? object({ ...fields, details }, ['details']) : object(fields);
}
