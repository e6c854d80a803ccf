/** Describes a schema in a few words. A named schema is a link to its description on the page of the reference. */

import type { JsonSchema } from '../../api/description/json-schema.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import { schemaAnchor } from './anchors.js';
import { nameInReference } from './api-reference.js';

/** Such as "array of Place", "integer from 1 to 100, default 50", "string or null"; empty for no schema. */
export function shapeOf(schema: JsonSchema | undefined): Content {
  if (schema === undefined) return '';
  const { $ref, type = [], anyOf, allOf, items } = schema;
  if ($ref !== undefined) return linkTo(nameInReference($ref));
  // The common part of the choices is beside them.
  if (anyOf !== undefined)
    return joinHtml(
      anyOf.map((choice) => shapeOf({ type, ...choice })),
      ' or ',
    );
  if (allOf !== undefined) return joinHtml(allOf.map(shapeOf), ' with ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const names = [type].flat().map((name) => (name === 'array' ? ['array of ', itemsOf(items)] : name));
  return [joinHtml(names, ' or '), boundsOf(schema)];
}

function linkTo(name: string): Html {
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

function itemsOf(items: JsonSchema | undefined): Content {
  return items === undefined ? 'anything' : shapeOf(items);
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
