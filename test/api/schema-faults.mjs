/** What values have against JSON schemas. Imported outside of Jest's modules, since compiling a schema takes long. */

import ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new ajv2020.Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, coerceTypes: false });
addFormats.default(ajv);

/** By the text of the schema. */
const validators = new Map();

export function schemaFaults(schema, value) {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(schema));
    validators.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}
