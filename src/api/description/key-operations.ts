/**
 * The operations that a publishable key can be bound to: those of the table of routes, by their ids and by short names.
 * Publishable keys may not make bulk requests: a web page looks up one thing at a time, and one bulk request can cost as
 * much as all visitors of a day.
 */

import { InvalidValueError } from '../../base/errors.js';
import { routes } from './routes.js';

/** The ids of operations that a short name stands for. */
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  check: ['checkPostcode'],
  postcodes: ['findPostcode', 'findPostcodes', 'listPostcodes'],
};

/** The ids of all operations that a key can be bound to, in the order of the table of routes. */
export const keyOperations: readonly string[] = routes.map(({ id }) => id);

/** What a form with an address needs. */
export const FORM_OPERATIONS: readonly string[] = expand(['autocomplete', 'postcodes', 'check', 'nearby']);

/** The ids of the operations with these names, each once, in the order of the table. */
export function parseKeyOperations(names: readonly string[]): readonly string[] {
  const known = [...Object.keys(SHORT_NAMES), ...keyOperations];
  if (names.length === 0 || !names.every((name) => known.includes(name))) {
    throw new InvalidValueError(`the operations of a publishable key must be of ${known.join(', ')}`);
  }
  return expand(names);
}

function expand(names: readonly string[]): readonly string[] {
  const ids = names.flatMap((name) => SHORT_NAMES[name] ?? [name]);
  return keyOperations.filter((id) => ids.includes(id));
}
