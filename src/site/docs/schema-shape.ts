/** Describes a schema in a few words. A reference is given by its name and not followed. */
import type { JsonSchema } from '../../api/json-schema.js';

/** Such as "array of Place", "integer from 1 to 100, default 50", "string or null"; empty for no schema. */
export function shapeOf(schema: JsonSchema | undefined): string {
  if (schema === undefined) return '';
  const { $ref, type = [], anyOf, allOf, items } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? '';
  // The common part of the choices is beside them.
  if (anyOf !== undefined) return anyOf.map((choice) => shapeOf({ type, ...choice })).join(' or ');
  if (allOf !== undefined) return allOf.map(shapeOf).join(' with ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const names = [type].flat().map((name) => (name === 'array' ? `array of ${shapeOf(items) || 'anything'}` : name));
  return names.join(' or ') + boundsOf(schema);
}

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback, format }: JsonSchema): string {
  const bounds = range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  const lengths = range(minLength, maxLength);
  return [
    format === undefined ? '' : ` (${format})`,
    bounds === '' ? '' : ` ${bounds}`,
    lengths === '' ? '' : ` of ${lengths.replace(/^from /, '')} characters`,
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ].join('');
}

/** '' without bounds. */
function range(from: unknown, to: unknown): string {
  if (from === undefined) return to === undefined ? '' : `at most ${to}`;
  return to === undefined ? `at least ${from}` : `from ${from} to ${to}`;
}
