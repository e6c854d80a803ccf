/**
 * Where the value of a parameter comes from and whether it must be there. A parameter is read from the request as it was
 * sent: its value comes out in the form the service wants, or a WrongValue that says what is allowed and what was sent.
 * Control characters are refused everywhere. Reading a good value allocates nothing but the value.
 */

import {
  decodeComponent,
  decodeQueryComponent,
  findQueryPieces,
  queryPieceName,
  queryPieceValue,
} from '../../base/query-string.js';
import type { CountryFinder } from '../../core/lookup/countries.js';
import { DomainError, type ParameterFault } from '../../core/lookup/domain-error.js';
import type { JsonSchema } from './json-schema.js';
import type { Rule } from './parameter-rules.js';

/** The two raw sources of parameters: the path parameters of the route and the query string. */
export interface Target {
  readonly path: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: string;
}

/** One parameter of a route. All but `read` is for the description of the API. */
export interface Parameter<T> {
  readonly name: string;
  readonly read: (target: Target) => T | WrongValue;
  /** That of the rule, for values that `read` returned. */
  readonly codesIn: Rule<unknown>['codesIn'];
  readonly source: 'path' | 'query';
  readonly isRequired: boolean;
  /** What the parameter means and what is allowed, without a full stop. */
  readonly meaning: string;
  /** That of the rule, with the default value where there is one. */
  readonly schema: JsonSchema;
}

/** Why a parameter has no value: it is missing, or its text is not allowed. */
export class WrongValue {
  constructor(
    readonly param: string,
    readonly rule: Pick<Rule<unknown>, 'allowed' | 'correct'>,
    /** The whole sentence but for a correction. */
    readonly sentence: string,
    /** The text that the rule refused, where there is one. */
    readonly text?: string,
  ) {}

  describe(findMeant: CountryFinder): ParameterFault {
    const { param, rule, sentence, text } = this;
    const meant = text === undefined ? undefined : rule.correct?.(text, findMeant);
    const message = meant === undefined ? sentence : `${sentence}; did you mean ${meant}?`;
    return { param, message, expected: rule.allowed };
  }
}

/** Maximum number of characters that a message quotes of what was sent: longer texts say no more to a reader. */
const MAX_QUOTED_CHARACTERS = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f]/;
const LINE_BREAKS = /[\r\n]/g;

/**
 * A parameter that is a segment of the route's path. `meaning` says what the value is: "The country". Only a lookup of a
 * bulk request can be without it.
 */
export function inPath<T>(name: string, meaning: string, rule: Rule<T>): Parameter<T> {
  return {
    ...describe(name, meaning, rule),
    source: 'path',
    isRequired: true,
    read: (target) => {
      const value = target.path[name];
      if (value === undefined) return missing(name, rule);
      const raw = String(value);
      return parseText(name, rule, raw, decodeComponent(raw));
    },
  };
}

/** A query parameter that must be there. */
export function required<T>(name: string, meaning: string, rule: Rule<T>): Parameter<T> {
  return {
    ...describe(name, meaning, rule),
    source: 'query',
    isRequired: true,
    read: (target) => readQuery(name, rule, target.query) ?? missing(name, rule),
  };
}

/** A query parameter that has a default, or is undefined, where it was not sent. Sent but empty is a wrong value. */
export function optional<T>(name: string, meaning: string, rule: Rule<T>): Parameter<T | undefined>;
export function optional<T>(name: string, meaning: string, rule: Rule<T>, fallback: T): Parameter<T>;
export function optional<T>(name: string, meaning: string, rule: Rule<T>, fallback?: T): Parameter<T | undefined> {
  const description = describe(name, meaning, rule);
  return {
    ...description,
    schema: fallback === undefined ? rule.schema : { ...rule.schema, default: fallback },
    source: 'query',
    isRequired: false,
    read: (target) => readQuery(name, rule, target.query) ?? fallback,
  };
}

function missing<T>(name: string, rule: Rule<T>): WrongValue {
  return new WrongValue(name, rule, `${name} is required (${rule.brief ?? rule.allowed})`);
}

function describe<T>(name: string, meaning: string, { allowed, codesIn, schema }: Rule<T>) {
  return { name, meaning: `${meaning}: ${allowed}`, codesIn: codesIn as Rule<unknown>['codesIn'], schema };
}

/** A query parameter that may be sent several times, at most `most` times; the value has one element for each. */
export function repeated<T>(name: string, meaning: string, rule: Rule<T>, most: number): Parameter<readonly T[]> {
  return {
    ...describe(name, `${meaning}; may be repeated`, rule),
    source: 'query',
    isRequired: false,
    read: ({ query }) => {
      const pieces = findQueryPieces(query, name);
      if (pieces.length > most) {
        return new WrongValue(name, rule, `${name} must be sent at most ${most} times; got ${pieces.length} values`);
      }
      const values = pieces.map((piece) =>
        parseText(name, rule, queryPieceValue(piece), decodeQueryComponent(queryPieceValue(piece))),
      );
      return values.find((value) => value instanceof WrongValue) ?? (values as T[]);
    },
  };
}

function readQuery<T>(name: string, rule: Rule<T>, query: string): T | WrongValue | undefined {
  if (query === '') return undefined;
  const pieces = findQueryPieces(query, name);
  const [piece] = pieces;
  if (piece === undefined) return undefined;
  if (pieces.length > 1 || queryPieceName(piece) !== name) {
    const sentence = `${name} must be ${rule.allowed}, given once and as ${name}=…; got ${quoteSent(pieces.join('&'))}`;
    return new WrongValue(name, rule, sentence);
  }
  const raw = queryPieceValue(piece);
  return parseText(name, rule, raw, decodeQueryComponent(raw));
}

function parseText<T>(name: string, rule: Rule<T>, raw: string, text: string | undefined): T | WrongValue {
  if (text === undefined) {
    const sentence = `${name} must be ${rule.allowed}, percent-encoded as UTF-8; got ${quoteSent(raw)}`;
    return new WrongValue(name, rule, sentence);
  }
  if (CONTROL_CHARACTERS.test(rule.hasLines ? text.replaceAll(LINE_BREAKS, ' ') : text)) {
    const sentence = `${name} must be ${rule.allowed}, without control characters; got ${quoteSent(text)}`;
    return new WrongValue(name, rule, sentence);
  }
  return (
    rule.parse(text) ?? new WrongValue(name, rule, `${name} must be ${rule.allowed}; got ${quoteSent(text)}`, text)
  );
}

/** The start of what was sent, as messages quote it. */
export function quoteSent(text: string): string {
  // Cut between code points, so that no half of a surrogate pair remains.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARACTERS)];
  return JSON.stringify(characters.slice(0, MAX_QUOTED_CHARACTERS).join(''));
}

/** The error of one faulty parameter that no rule describes. */
export function invalidParameter(param: string, message: string, expected: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message, [{ param, message, expected }]);
}
