/** Random requests made of nothing but the description: values that the schemas of parameters allow. */

import fc from 'fast-check';
import type { ParameterObject } from '../../generate/openapi-responses.js';
import type { JsonSchema } from '../../src/api/description/field-schemas.js';

/** Values of an operation's parameters by name; optional ones may be missing. */
export function requestsOf(parameters: readonly ParameterObject[]): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(parameters.map((parameter) => [parameter.name, valuesOf(parameter)]));
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Record<string, unknown>>;
}

/** The example often: most of what is made at random names nothing. */
function valuesOf({ schema, example }: ParameterObject): fc.Arbitrary<unknown> {
  const values = valuesAllowedBy(schema);
  return example === undefined ? values : fc.oneof(fc.constant(example), values);
}

function valuesAllowedBy(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, minimum, maximum, pattern, format, const: only, anyOf, minLength = 0, maxLength } = schema;
  if (anyOf !== undefined) return fc.oneof(...(anyOf as JsonSchema[]).map(valuesAllowedBy));
  if (only !== undefined) return fc.constant(only);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(String(pattern), 'u'));
  if (format === 'uuid') return fc.uuid();
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: Number(minimum), max: Number(maximum) });
  // Without exponent, as the description wants it.
  if (type === 'number') {
    const numbers = fc.double({ min: Number(minimum), max: Number(maximum), noNaN: true });
    return numbers.map((value) => Number(value.toFixed(6)));
  }
  if (type === 'string') {
    return fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: Number(maxLength) });
  }
  throw new Error(`no values for ${JSON.stringify(schema)}`);
}
