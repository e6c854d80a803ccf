/** What a schema of the description allows, in a few words. A reference is said by its name and not followed. */
import { isNode, listAt, type Node } from './description-node.js';

/** In a few words: "array of Place", "integer from 1 to 100, default 50", "string or null". */
export function shapeOf(schema: unknown): string {
  if (!isNode(schema)) return '';
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? '';
  const choices = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')];
  if (choices.length > 0) {
    const { type } = schema;
    // What the choices have in common stands beside them.
    return choices.map((choice) => shapeOf(isNode(choice) ? { type, ...choice } : choice)).join(' or ');
  }
  const parts = listAt(schema, 'allOf');
  if (parts.length > 0) return parts.map((part) => shapeOf(part)).join(' with ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  const names = types.map((type) => (type === 'array' ? `array of ${shapeOf(schema.items) || 'anything'}` : type));
  return names.join(' or ') + boundsOf(schema);
}

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback, format }: Node): string {
  const bounds = range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  const lengths = range(minLength, maxLength);
  return [
    typeof format === 'string' ? ` (${format})` : '',
    bounds === '' ? '' : ` ${bounds}`,
    lengths === '' ? '' : ` of ${lengths.replace(/^from /, '')} characters`,
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ].join('');
}

/** Empty where there is no bound. */
function range(from: unknown, to: unknown): string {
  if (from === undefined) return to === undefined ? '' : `at most ${to}`;
  return to === undefined ? `at least ${from}` : `from ${from} to ${to}`;
}
