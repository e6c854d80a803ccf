/**
 * The arguments of a tool: the parameters of its route as one JSON Schema, and the faults that only tools have. A route
 * ignores foreign parameters; a tool refuses them, because a model takes an answer for the answer to all that it sent.
 */

import { FORMAT } from '../../src/api/description/answer-formats.js';
import type { Lookup } from '../../src/api/description/bind-lookup.js';
import type { Route } from '../../src/api/description/define-route.js';
import { type JsonSchema, object } from '../../src/api/description/json-schema.js';
import { createMeantFinder } from '../../src/api/description/misspelt-parameters.js';
import { invalidParameter, type Parameter, quoteSent } from '../../src/api/description/parameters.js';
import { routeOf } from '../../src/api/description/routes.js';
import { COUNTRY_PARAMETERS } from '../../src/core/lookup/countries.js';

export type Argument = Pick<Parameter<unknown>, 'name' | 'meaning' | 'schema' | 'isRequired'>;

/** Maximum length in characters of all arguments as JSON: several times what the rules of a route allow together. */
const MAX_ARGUMENTS_LENGTH = 4_096;

/** The parameters of a route without some, and without the format: a tool reads the JSON of its answers. */
export function argumentsOf(operation: Route['id'], without: readonly string[]): readonly Argument[] {
  const shown = routeOf(operation).parameters.filter(({ name }) => name !== FORMAT && !without.includes(name));
  return shown.map((one) => (isCountry(one.name) ? { ...one, ...withNames(one) } : one));
}

function isCountry(name: string): boolean {
  return COUNTRY_PARAMETERS.some((country) => country === name);
}

/** A country may be a name too, which no pattern of codes allows. */
function withNames({ meaning, schema: { default: fallback } }: Argument): Pick<Argument, 'meaning' | 'schema'> {
  return {
    meaning: `${meaning}; names of countries stand for their codes`,
    schema: { type: 'string', ...(fallback !== undefined && { default: fallback }) },
  };
}

export function schemaOfToolArguments(list: readonly Argument[]): JsonSchema {
  const properties = list.map(({ name, meaning, schema }) => [name, { ...schema, description: meaning }] as const);
  const optional = list.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  return { ...object(Object.fromEntries(properties), optional), additionalProperties: false };
}

/** Whether the arguments have few enough characters as JSON. Those that are nested too deeply to be written have not. */
function isShort(given: Lookup): boolean {
  try {
    return JSON.stringify(given).length <= MAX_ARGUMENTS_LENGTH;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Refuses arguments that are too long, and one that the tool does not have. */
export function checkArguments(list: readonly Argument[], given: Lookup): void {
  if (!isShort(given)) {
    const expected = `at most ${MAX_ARGUMENTS_LENGTH} characters of JSON`;
    throw invalidParameter('arguments', `The arguments must have ${expected}`, expected);
  }
  const names = list.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const expected = names.join(', ');
  const meant = createMeantFinder(names)(unknown);
  const question = meant === undefined ? '' : `; did you mean ${meant}?`;
  const sentence = `${quoteSent(unknown)} is not an argument of this tool, which takes ${expected}${question}`;
  throw invalidParameter(unknown, sentence, expected);
}
