/**
 * What binds a publishable key: the origins of the web pages that may use it, the operations that it may call, and the
 * rate of each visitor. A secret key has no restrictions. Restrictions from a store, a file or a person pass
 * `parseRestrictions`.
 *
 *     {"origins": ["https://shop.example", "https://*.shop.example"], "operations": ["autocomplete", "checkPostcode"],
 *      "visitorRate": {"requests": 300, "seconds": 86400}}
 */

import { InvalidValueError } from '../../base/errors.js';
import { parseOrigins } from './origin.js';
import { checkVisitorRate, type VisitorRate } from './visitor-rate.js';

export interface Restrictions {
  /** 1 to 10, each once. */
  readonly origins: readonly string[];
  /** Ids of operations as the description of the API has them, each once. */
  readonly operations: readonly string[];
  readonly visitorRate: VisitorRate;
}

/** Maximum number of operations of a key: more than the API has. */
const MAX_OPERATIONS = 50;
const OPERATION_FORM = /^[a-z][A-Za-z]{0,39}$/;

/** Checks every field and returns frozen restrictions of these fields alone. */
export function parseRestrictions(value: unknown): Restrictions {
  const { origins, operations, visitorRate } = parseObject(value, 'the restrictions of a key');
  const parsed = parseOrigins(parseTexts(origins, 'origins'));
  const names = parseTexts(operations, 'operations');
  if (names.length === 0 || names.length > MAX_OPERATIONS || !names.every((name) => OPERATION_FORM.test(name))) {
    throw new InvalidValueError('a publishable key needs the names of the operations that it may call');
  }
  return Object.freeze({
    origins: Object.freeze(parsed),
    operations: Object.freeze([...new Set(names)]),
    visitorRate: checkVisitorRate(parseObject(visitorRate, 'a visitor rate')),
  });
}

function parseTexts(value: unknown, what: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new InvalidValueError(`${what} must be a list of texts`);
}

function parseObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw new InvalidValueError(`${what} must be an object`);
}
