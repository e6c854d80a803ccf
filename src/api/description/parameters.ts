/**
 * Where the value of a parameter comes from and whether it must be there. A parameter is read from the request as it was
 * sent: its value comes out in the form the service wants, or a WrongValue that says what is allowed and what was sent.
 * Control characters are refused everywhere. Reading a good value allocates nothing but the value.
 */

import { decodeComponent, decodeQueryComponent, findPieces, pieceName, pieceValue } from '../../base/query-string.js';
import { inLanguages } from '../../core/snapshot/in-languages.js';
import { isOneEditAway } from '../../core/suggest/name-lookup.js';
import { type CountryFinder, countryFinderOf, unknownCountry } from '../../core/use-cases/countries.js';
import { DomainError, type ParameterFault } from '../../core/use-cases/domain-error.js';
import type { InputRule, UseCase } from '../../core/use-cases/service.js';
import type { JsonSchema } from './field-schemas.js';
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
  /** That of the rule; it takes only what `read` returns. */
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
export const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f]/;

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

function readQuery<T>(name: string, rule: Rule<T>, query: string): T | WrongValue | undefined {
  if (query === '') return undefined;
  const pieces = findPieces(query, name);
  const [piece] = pieces;
  if (piece === undefined) return undefined;
  if (pieces.length > 1 || pieceName(piece) !== name) {
    const sentence = `${name} must be ${rule.allowed}, given once and as ${name}=…; got ${quote(pieces.join('&'))}`;
    return new WrongValue(name, rule, sentence);
  }
  const raw = pieceValue(piece);
  return parseText(name, rule, raw, decodeQueryComponent(raw));
}

function parseText<T>(name: string, rule: Rule<T>, raw: string, text: string | undefined): T | WrongValue {
  if (text === undefined) {
    const sentence = `${name} must be ${rule.allowed}, percent-encoded as UTF-8; got ${quote(raw)}`;
    return new WrongValue(name, rule, sentence);
  }
  if (CONTROL_CHARACTERS.test(text)) {
    const sentence = `${name} must be ${rule.allowed}, without control characters; got ${quote(text)}`;
    return new WrongValue(name, rule, sentence);
  }
  return rule.parse(text) ?? new WrongValue(name, rule, `${name} must be ${rule.allowed}; got ${quote(text)}`, text);
}

/** The start of what was sent, as messages quote it. */
export function quote(text: string): string {
  // Cut between code points, so that no half of a surrogate pair remains.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARACTERS)];
  return JSON.stringify(characters.slice(0, MAX_QUOTED_CHARACTERS).join(''));
}

/*
 * Unknown query parameters that look like a known one of the route: `pagesize`, `page_size` and `pagesise` are
 * `pageSize`. The API ignores unknown parameters; an error that it reports anyway names these too. The work is bounded by
 * the limits below, whatever is sent.
 */

/** Maximum number of pieces of a query string that are looked at. */
const MAX_PIECES = 100;
/** Maximum number of misspelt parameters that are reported: no route has as many that clients mistake. */
const MAX_REPORTED = 10;
/** Names of other characters, or longer ones, are no misspelling of a parameter. */
const POSSIBLE_NAME = /^[\w.-]{1,30}$/;
const SEPARATORS = /[_.-]/g;
/** Minimum length of a known name of which one edit may be wrong: `lang` and `lng`, `date` and `page` are other words. */
const MIN_EDITED_LENGTH = 5;

/** What other services call a parameter, without separators and in lower case. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['countrycode', 'country'],
  ['language', 'lang'],
  ['latitude', 'lat'],
  ['lon', 'lng'],
  ['long', 'lng'],
  ['longitude', 'lng'],
  ['postalcode', 'postcode'],
  ['query', 'q'],
  ['radius', 'radiusKm'],
  ['zip', 'postcode'],
  ['zipcode', 'postcode'],
]);

/** Finds misspelt parameters in a query string: each once, in the order sent. */
export type MisspeltFinder = (query: string) => ParameterFault[];

/** `known` are the names of a route's query parameters. */
export function createMisspeltFinder(known: readonly string[]): MisspeltFinder {
  const simplified = known.map((name) => ({ name, simple: simplify(name) }));

  function findMeant(sent: string): string | undefined {
    const simple = simplify(sent);
    const other = OTHER_NAMES.get(simple);
    const meant =
      simplified.find((one) => one.simple === simple) ??
      simplified.find(({ name }) => name === other) ??
      simplified.find((one) => one.simple.length >= MIN_EDITED_LENGTH && isOneEditAway(one.simple, simple));
    return meant?.name;
  }

  return (query) => {
    if (query === '') return [];
    const faults = new Map<string, ParameterFault>();
    for (const piece of query.split('&', MAX_PIECES)) {
      const param = pieceName(piece);
      if (faults.has(param) || known.includes(param) || !POSSIBLE_NAME.test(param)) continue;
      const meant = findMeant(param);
      if (meant === undefined) continue;
      const message = `${param} is not a parameter of this endpoint; did you mean ${meant}?`;
      faults.set(param, { param, message, expected: meant });
      if (faults.size === MAX_REPORTED) break;
    }
    return [...faults.values()];
  };
}

function simplify(name: string): string {
  return name.replaceAll(SEPARATORS, '').toLowerCase();
}

/*
 * From a request to a use case: the parameters are read in the order of the route, and where one is wrong, or the use
 * case refuses the input, all faults of the request are reported at once. A good request costs one pass over the
 * parameters; faults are collected only after the first one is found.
 */

/** The parameters of a route by the fields of its use case's input, in the order in which they are read. */
type NamedParameters = readonly (readonly [field: string, parameter: Parameter<unknown>])[];

/** The parameter and the field of an input with the languages of names, of which no use case knows. */
export const LANGUAGES = 'lang';

/** Whether a target is refused whatever the snapshot is: for the value of a parameter, or by the rule about the input. */
export function isRefused(parameters: NamedParameters, rule: InputRule | undefined, target: Target): boolean {
  const values = parameters.map(([field, parameter]) => [field, parameter.read(target)] as const);
  if (values.some(([, value]) => value instanceof WrongValue)) return true;
  return rule !== undefined && rule(Object.fromEntries(values)).length > 0;
}

/** The use case as a function of the request. `rule` is its rule about the input, if it has one. */
export function bindUseCase<Input extends { readonly [LANGUAGES]?: string | undefined }>(
  useCase: UseCase<Input>,
  parameters: NamedParameters,
  rule: InputRule | undefined,
): UseCase<Target> {
  const findMisspelt = createMisspeltFinder(
    parameters.flatMap(([, { name, source }]) => (source === 'query' ? [name] : [])),
  );

  /** Undefined where a parameter is wrong. */
  function readInput(target: Target): Input | undefined {
    const input: Record<string, unknown> = {};
    for (const [field, parameter] of parameters) {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return undefined;
      input[field] = value;
    }
    return input as Input;
  }

  /** Those of wrong values and of the codes of no country, in the order of the route. */
  function listFaults(target: Target, findMeant: CountryFinder): ParameterFault[] {
    return parameters.flatMap(([, parameter]) => {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return [value.describe(findMeant)];
      const codes = value === undefined ? [] : (parameter.codesIn?.(value) ?? []);
      return codes.flatMap((code) => {
        const meant = findMeant(code);
        return meant === code ? [] : [unknownCountry(code, parameter.name, meant)];
      });
    });
  }

  /** The first wrong value gives the message: the code of no country is an error of its own only where it is alone. */
  function firstMessage(target: Target, findMeant: CountryFinder): string {
    for (const [, parameter] of parameters) {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return value.describe(findMeant).message;
    }
    throw new Error('no parameter is wrong');
  }

  function listRuleFaults(target: Target): readonly ParameterFault[] {
    return rule?.(Object.fromEntries(parameters.map(([field, parameter]) => [field, parameter.read(target)]))) ?? [];
  }

  function invalid(message: string, faults: readonly ParameterFault[], { query }: Target): DomainError {
    return new DomainError('VALIDATION_FAILED', message, [...faults, ...findMisspelt(query)]);
  }

  return (snapshot, target) => {
    const input = readInput(target);
    if (input === undefined) {
      const findMeant = countryFinderOf(snapshot);
      const faults = [...listFaults(target, findMeant), ...listRuleFaults(target)];
      throw invalid(firstMessage(target, findMeant), faults, target);
    }
    try {
      const { lang } = input;
      return useCase(lang === undefined ? snapshot : inLanguages(snapshot, lang), input);
    } catch (error) {
      const isInvalid = error instanceof DomainError && error.code === 'VALIDATION_FAILED';
      if (!isInvalid || error.details === undefined) throw error;
      const faults = [...listFaults(target, countryFinderOf(snapshot)), ...error.details];
      throw invalid(error.message, faults, target);
    }
  };
}
