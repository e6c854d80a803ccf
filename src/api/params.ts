/**
 * Every rule about a parameter in one place: what text is a valid value (rules), and where a parameter comes from and
 * whether it must be there (parameters). Untrusted text goes in; a value the service can rely on, or a
 * VALIDATION_FAILED that names the parameter, what is allowed and what was sent, comes out. Text is counted in code
 * points, and control characters are refused everywhere. Beside each rule stands its JSON Schema for the description
 * of the API; where both say the same, they say it with the same constant.
 */

import { isPlaceId } from '../format/place-id.js';
import { LEVEL_COUNT } from '../format/place-levels.js';
import { normalizePostcode } from '../format/postcode.js';
import { MAX_PATH_LENGTH } from '../format/slug.js';
import { decodeComponent, decodeQueryComponent, findPieces, pieceName, pieceValue } from '../server/target.js';
import { DomainError } from '../service/domain-error.js';
import type { PostcodeOrPlace } from '../service/measure-distance.js';
import { MAX_NEARBY_COUNTRIES } from '../service/nearby.js';
import { INCLUDED_FIELDS, type IncludedField } from '../service/place-detail.js';
import { ANY_COUNTRY } from '../service/reverse.js';
import type { JsonSchema } from './json-schema.js';

/** What a parameter's text may be. */
export interface Rule<T> {
  /** Completes the sentence "level must be …". */
  readonly allowed: string;
  /** The same in a few words, for the message about a missing value: "2 to 100 characters". Default: `allowed`. */
  readonly brief?: string;
  /** The value, or undefined where the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /**
   * JSON Schema of values in their plain spelling; the parser takes others too: leading zeros, spaces around a text.
   */
  readonly schema: JsonSchema;
}

/** The two raw sources of parameters: the path parameters of the route and the query string. */
export interface Target {
  readonly path: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: string;
}

/** One parameter of a route. `read` throws VALIDATION_FAILED; the rest is for the description of the API. */
export interface Parameter<T> {
  readonly name: string;
  readonly read: (target: Target) => T;
  readonly source: 'path' | 'query';
  readonly isRequired: boolean;
  /** What the parameter means and what is allowed, without a full stop. */
  readonly meaning: string;
  /** That of the rule, with the default value where there is one. */
  readonly schema: JsonSchema;
}

const MAX_QUOTED_CHARACTERS = 100;
const MAX_DECIMAL_CHARACTERS = 32;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f]/;

const COUNTRY_CODE = /^[A-Za-z]{2}$/;
const MAX_SEGMENTS = LEVEL_COUNT;

/** Plain digits only: no sign, exponent, point or space. Leading zeros are allowed, they change no value. */
export function integer(min: number, max: number): Rule<number> {
  return {
    allowed: max === Number.MAX_SAFE_INTEGER ? `an integer of ${min} or more` : `an integer from ${min} to ${max}`,
    parse: (text) => (/^\d+$/.test(text) ? within(Number(text), min, max) : undefined),
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

/** Digits with at most one point, which has digits on both sides; no exponent and no plus sign. */
export function decimal(min: number, max: number): Rule<number> {
  return {
    allowed: `a decimal number from ${min} to ${max}, such as -12.34 (no exponent, at most ${MAX_DECIMAL_CHARACTERS} characters)`,
    parse: (text) =>
      text.length <= MAX_DECIMAL_CHARACTERS && /^-?\d+(\.\d+)?$/.test(text)
        ? within(Number(text), min, max)
        : undefined,
    schema: { type: 'number', minimum: min, maximum: max },
  };
}

export const trueOrFalse: Rule<boolean> = {
  allowed: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  schema: { type: 'boolean' },
};

/** Two letters of either case; the value is upper case. Whether a country has that code is the service's question. */
export const countryCode: Rule<string> = {
  allowed: 'a two-letter ISO 3166-1 alpha-2 country code',
  parse: (text) => (COUNTRY_CODE.test(text) ? text.toUpperCase() : undefined),
  schema: { type: 'string', pattern: COUNTRY_CODE.source },
};

/** Likewise, or "any" for all countries at once. */
export const countryCodeOrAny: Rule<string> = {
  allowed: `${countryCode.allowed}, or "${ANY_COUNTRY}"`,
  parse: (text) => (text.toLowerCase() === ANY_COUNTRY ? ANY_COUNTRY : countryCode.parse(text)),
  schema: { type: 'string', anyOf: [{ pattern: COUNTRY_CODE.source }, { const: ANY_COUNTRY }] },
};

/** One of a few words, in lower case. */
export function oneOf<Word extends string>(words: readonly Word[]): Rule<Word> {
  return {
    allowed: words.join(' or '),
    parse: (text) => words.find((word) => word === text),
    schema: { type: 'string', enum: [...words] },
  };
}

/** 1 to `most` values of a rule without commas, separated by commas; repeated values change nothing. */
export function listOf<T>(rule: Rule<T>, pattern: string, most: number): Rule<T[]> {
  return {
    allowed: `1 to ${most} values separated by commas, each ${rule.allowed}`,
    parse: (text) => {
      const parts = text.split(',', most + 1);
      const values = parts.flatMap((part) => rule.parse(part) ?? []);
      return parts.length > most || values.length < parts.length ? undefined : [...new Set(values)];
    },
    schema: { type: 'string', pattern: `^(${pattern})(,(${pattern})){0,${most - 1}}$` },
  };
}

export const countryCodes: Rule<string[]> = listOf(countryCode, '[A-Za-z]{2}', MAX_NEARBY_COUNTRIES);

/** Fields of a place that are told on request. */
export const includedFields: Rule<IncludedField[]> = listOf(
  oneOf(INCLUDED_FIELDS),
  INCLUDED_FIELDS.join('|'),
  INCLUDED_FIELDS.length,
);

/** A UUID of any version, in either case; the value is lower case. */
export const placeId: Rule<string> = {
  allowed: 'a place id in UUID form, 8-4-4-4-12 hexadecimal digits',
  parse: (text) => (isPlaceId(text) ? text.toLowerCase() : undefined),
  schema: { type: 'string', format: 'uuid' },
};

/** Counted, and handed on, after the contract's normalisation: trimmed, runs of spaces collapsed, upper case. */
export const postcodeText: Rule<string> = ofLength('a postcode', 1, 20, normalizePostcode);

/** "US:90210", or a place id in place of the code. */
export const postcodeOrPlace: Rule<PostcodeOrPlace> = {
  allowed: 'a country code, a colon, and a postcode or a place id, such as US:90210',
  parse: (text) => {
    const country = text[2] === ':' ? countryCode.parse(text.slice(0, 2)) : undefined;
    if (country === undefined) return undefined;
    const rest = text.slice(3);
    const id = placeId.parse(rest);
    if (id !== undefined) return { country, id };
    const postcode = postcodeText.parse(rest);
    return postcode === undefined ? undefined : { country, postcode };
  },
  schema: { type: 'string', pattern: '^[A-Za-z]{2}:.{1,36}$' },
};

/** Likewise counted, but handed on as it was sent. */
export const postcodeAsSent: Rule<string> = {
  ...postcodeText,
  parse: (text) => (postcodeText.parse(text) === undefined ? undefined : text),
};

/**
 * Counted, and handed on, composed (so that "é" is one character however it was sent), without surrounding white space.
 */
export const searchText: Rule<string> = ofLength('text', 2, 100, (text) => text.normalize('NFC').trim());

/** A text that has this many characters once it is normalised. */
function ofLength(what: string, min: number, max: number, normalize: (text: string) => string): Rule<string> {
  return {
    allowed: `${what} of ${min} to ${max} characters`,
    brief: `${min} to ${max} characters`,
    parse: (text) => {
      const normalized = normalize(text);
      const characterCount = countCharacters(normalized);
      return characterCount >= min && characterCount <= max ? normalized : undefined;
    },
    schema: { type: 'string', minLength: min, maxLength: max },
  };
}

/** The code points of a text. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) as number) > 0xffff) count--;
  return count;
}

/** The segments of a place path. One trailing slash is tolerated, an empty segment is not. */
export const placePath: Rule<string[]> = {
  allowed: `a path of 1 to ${MAX_SEGMENTS} segments that starts with "/", at most ${MAX_PATH_LENGTH} characters`,
  parse: (text) => {
    if (text.length > MAX_PATH_LENGTH || !text.startsWith('/')) return undefined;
    const segments = text.slice(1).split('/');
    if (segments.length > 1 && segments.at(-1) === '') segments.pop();
    return segments.length > MAX_SEGMENTS || segments.includes('') ? undefined : segments;
  },
  schema: { type: 'string', pattern: `^(/[^/]+){1,${MAX_SEGMENTS}}$`, maxLength: MAX_PATH_LENGTH },
};

/** A parameter that is a segment of the route's path. `meaning` says what the value is: "The country". */
export function inPath<T>(name: string, meaning: string, rule: Rule<T>): Parameter<T> {
  return {
    ...describe(name, meaning, rule),
    source: 'path',
    isRequired: true,
    read: (target) => {
      const raw = String(target.path[name] ?? '');
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
    read: (target) => {
      const value = readQuery(name, rule, target.query);
      if (value === undefined) throw invalid(`${name} is required (${rule.brief ?? rule.allowed})`);
      return value;
    },
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

function describe<T>(name: string, meaning: string, { allowed, schema }: Rule<T>) {
  return { name, meaning: `${meaning}: ${allowed}`, schema };
}

function readQuery<T>(name: string, rule: Rule<T>, query: string): T | undefined {
  if (query === '') return undefined;
  const pieces = findPieces(query, name);
  const [piece] = pieces;
  if (piece === undefined) return undefined;
  if (pieces.length > 1 || pieceName(piece) !== name) {
    throw invalid(`${name} must be ${rule.allowed}, given once and as ${name}=…; got ${quote(pieces.join('&'))}`);
  }
  const raw = pieceValue(piece);
  return parseText(name, rule, raw, decodeQueryComponent(raw));
}

function parseText<T>(name: string, rule: Rule<T>, raw: string, text: string | undefined): T {
  if (text === undefined) {
    throw invalid(`${name} must be ${rule.allowed}, percent-encoded as UTF-8; got ${quote(raw)}`);
  }
  if (CONTROL_CHARACTERS.test(text)) {
    throw invalid(`${name} must be ${rule.allowed}, without control characters; got ${quote(text)}`);
  }
  const value = rule.parse(text);
  if (value === undefined) throw invalid(`${name} must be ${rule.allowed}; got ${quote(text)}`);
  return value;
}

function invalid(message: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message);
}

function quote(text: string): string {
  // Cut between code points, so that no half of a surrogate pair remains.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARACTERS)];
  return JSON.stringify(characters.slice(0, MAX_QUOTED_CHARACTERS).join(''));
}

function within(value: number, min: number, max: number): number | undefined {
  // Adding 0 makes a minus zero an ordinary one.
  return value >= min && value <= max ? value + 0 : undefined;
}
