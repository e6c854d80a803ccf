/**
 * Which texts are valid values of a parameter. A rule turns untrusted text into a value that the service can rely on, or
 * into nothing. Text is counted in code points. Each rule has its JSON Schema for the description of the API; limits in
 * both come from one constant.
 */

import { MAX_SUGGESTION_COUNTRIES } from '../../core/answers/autocomplete.js';
import type { PostcodeOrPlace } from '../../core/answers/distance.js';
import { MAX_ADDRESS_LENGTH } from '../../core/answers/match.js';
import { MAX_NEARBY_COUNTRIES } from '../../core/answers/nearby.js';
import { INCLUDED_FIELDS, type IncludedField } from '../../core/answers/place-detail.js';
import { COUNTRY_CODE, type CountryFinder } from '../../core/lookup/countries.js';
import { ANY_COUNTRY } from '../../core/lookup/reverse.js';
import { isPlaceId } from '../../core/snapshot/place-id.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { normalizePostcode } from '../../core/snapshot/postcode-spelling.js';
import { isReleaseName, RELEASE_NAME } from '../../core/snapshot/release-name.js';
import { MAX_PATH_LENGTH } from '../../core/snapshot/slug.js';
import { MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH } from '../../core/suggest/search-text.js';
import type { JsonSchema } from './json-schema.js';

/** What a parameter's text may be. */
export interface Rule<T> {
  /** Completes the sentence "level must be …". */
  readonly allowed: string;
  /** The same in a few words, for the message about a missing value: "2 to 100 characters". Default: `allowed`. */
  readonly brief?: string;
  /** The value, or undefined where the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Whether the text may have line breaks, which are control characters. */
  readonly hasLines?: true;
  /** What a text that is not allowed probably means: "DE" for "Germany". Called only to describe a fault. */
  readonly correct?: (text: string, findMeant: CountryFinder) => string | undefined;
  /** The country codes in a value. Called only where another parameter is wrong: else the use case looks them up. */
  readonly codesIn?: (value: T) => readonly string[];
  /**
   * JSON Schema of values in their plain spelling; the parser takes others too: leading zeros, spaces around a text.
   */
  readonly schema: JsonSchema;
}

const MAX_DECIMAL_CHARACTERS = 32;

const TWO_LETTERS = /^[A-Za-z]{2}$/;
const MAX_SEGMENTS = LEVEL_COUNT;

/** Plain digits only: no sign, exponent, point or space. Leading zeros are allowed, they change no value. */
export function integerRule(min: number, max: number): Rule<number> {
  return {
    allowed: max === Number.MAX_SAFE_INTEGER ? `an integer of ${min} or more` : `an integer from ${min} to ${max}`,
    parse: (text) => (/^\d+$/.test(text) ? within(Number(text), min, max) : undefined),
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

/** Digits with at most one point, which has digits on both sides; no exponent and no plus sign. */
export function decimalRule(min: number, max: number): Rule<number> {
  return {
    allowed: `a decimal number from ${min} to ${max}, such as ${min < 0 ? '-' : ''}12.34 (no exponent, at most ${MAX_DECIMAL_CHARACTERS} characters)`,
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
  allowed: COUNTRY_CODE,
  parse: (text) => (TWO_LETTERS.test(text) ? text.toUpperCase() : undefined),
  correct: (text, findMeant) => findMeant(text),
  codesIn: (code) => [code],
  schema: { type: 'string', pattern: TWO_LETTERS.source },
};

/** Likewise, or "any" for all countries at once. */
export const countryCodeOrAny: Rule<string> = {
  ...countryCode,
  allowed: `${countryCode.allowed}, or "${ANY_COUNTRY}"`,
  parse: (text) => (text.toLowerCase() === ANY_COUNTRY ? ANY_COUNTRY : countryCode.parse(text)),
  codesIn: (code) => (code === ANY_COUNTRY ? [] : [code]),
  schema: { type: 'string', anyOf: [{ pattern: TWO_LETTERS.source }, { const: ANY_COUNTRY }] },
};

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** One of a few words, in lower case. */
export function wordRule<Word extends string>(words: readonly Word[]): Rule<Word> {
  return {
    allowed: ALTERNATIVES.format(words),
    parse: (text) => words.find((word) => word === text),
    schema: { type: 'string', enum: [...words] },
  };
}

/**
 * 1 to `most` values of a rule without commas, separated by commas; repeated values change nothing. `values` names what
 * is separated: "1 to 10 country codes".
 */
function listOf<T>(rule: Rule<T>, pattern: string, most: number, values: string): Rule<T[]> {
  return {
    allowed: `${values}, separated by commas`,
    parse: (text) => {
      const parts = text.split(',', most + 1);
      const values = parts.flatMap((part) => rule.parse(part) ?? []);
      return parts.length > most || values.length < parts.length ? undefined : [...new Set(values)];
    },
    correct: (text, findMeant) => {
      const parts = text.split(',', most + 1);
      // A code of two letters can mean another one too: "UK".
      const values = parts.map(
        (part) => rule.correct?.(part, findMeant) ?? (rule.parse(part) === undefined ? undefined : part),
      );
      return parts.length > most || values.includes(undefined) ? undefined : [...new Set(values)].join(',');
    },
    codesIn: (values) => values.flatMap((value) => rule.codesIn?.(value) ?? []),
    schema: { type: 'string', pattern: `^(${pattern})(,(${pattern})){0,${most - 1}}$` },
  };
}

export const countryCodes: Rule<string[]> = listOf(
  countryCode,
  '[A-Za-z]{2}',
  MAX_NEARBY_COUNTRIES,
  `1 to ${MAX_NEARBY_COUNTRIES} two-letter ISO 3166-1 alpha-2 country codes`,
);

/** Some of a few words, in lower case. */
export function wordsRule<Word extends string>(words: readonly Word[]): Rule<Word[]> {
  const word = wordRule(words);
  const rule = listOf(word, words.join('|'), words.length, `one or more of ${words.join(', ')}`);
  const schema: JsonSchema = { type: 'array', items: word.schema, minItems: 1, maxItems: words.length };
  return { ...rule, schema, ...(words.length === 1 && { allowed: words.join() }) };
}

/** One country where the contract has one; on request several. */
export const countryCodeOrSeveral: Rule<string[]> = {
  ...listOf(countryCode, '[A-Za-z]{2}', MAX_SUGGESTION_COUNTRIES, countryCode.allowed),
  allowed: `${countryCode.allowed}, or up to ${MAX_SUGGESTION_COUNTRIES} separated by commas`,
};

/** Fields of a place that are told on request. */
export const includedFields: Rule<IncludedField[]> = wordsRule(INCLUDED_FIELDS);

/** Maximum number of tags of languages. */
const MAX_LANGUAGES = 3;
/** Maximum number of characters of a tag: what RFC 5646, 4.4.1, says that programs should take. */
const MAX_TAG_LENGTH = 35;
/** Tags of BCP 47, in the form that RFC 4647 gives them: whether a name has such a language is the service's question. */
const LANGUAGE_TAGS = new RegExp(`^(?!.*[^,]{${MAX_TAG_LENGTH + 1}})${tagsOf('*')}$`);

/** The pattern of a list of tags; `quantifier` is that of the subtags behind the first. */
function tagsOf(quantifier: string): string {
  const tag = `[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})${quantifier}`;
  return `${tag}(,${tag}){0,${MAX_LANGUAGES - 1}}`;
}

/** Handed on as it was sent. */
export const languageTags: Rule<string> = {
  allowed: `1 to ${MAX_LANGUAGES} language tags such as de or zh-TW, separated by commas, each of at most ${MAX_TAG_LENGTH} characters`,
  parse: (text) => (text.length <= MAX_LANGUAGES * (MAX_TAG_LENGTH + 1) && LANGUAGE_TAGS.test(text) ? text : undefined),
  // Four subtags are never too long.
  schema: { type: 'string', pattern: `^${tagsOf('{0,3}')}$` },
};

/** Whether there is a list of changes since that release is the service's question. */
export const releaseName: Rule<string> = {
  allowed: 'the name of a release: 1 to 64 letters, digits, dots, hyphens and underscores',
  parse: (text) => (isReleaseName(text) ? text : undefined),
  schema: { type: 'string', pattern: RELEASE_NAME.source },
};

/** A UUID of any version, in either case; the value is lower case. */
export const placeId: Rule<string> = {
  allowed: 'a place id in UUID form, 8-4-4-4-12 hexadecimal digits',
  parse: (text) => (isPlaceId(text) ? text.toLowerCase() : undefined),
  schema: { type: 'string', format: 'uuid' },
};

/** Maximum number of characters of a postal code. */
export const MAX_POSTCODE_LENGTH = 20;

/** Counted, and handed on, after the contract's normalisation: trimmed, runs of spaces collapsed, upper case. */
export const postcodeText: Rule<string> = ofLength('a postcode', 1, MAX_POSTCODE_LENGTH, normalizePostcode);

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
  correct: (text, findMeant) => {
    const colonAt = text.indexOf(':');
    const country = colonAt < 0 ? undefined : findMeant(text.slice(0, colonAt));
    const corrected = `${country}${text.slice(colonAt)}`;
    return country === undefined || postcodeOrPlace.parse(corrected) === undefined ? undefined : corrected;
  },
  codesIn: ({ country }) => [country],
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
export const searchText: Rule<string> = ofLength('text', MIN_SEARCH_LENGTH, MAX_SEARCH_LENGTH, (text) =>
  text.normalize('NFC').trim(),
);

/** Likewise, in one line or several. */
export const addressText: Rule<string> = {
  ...ofLength('an address', MIN_SEARCH_LENGTH, MAX_ADDRESS_LENGTH, (text) => text.normalize('NFC').trim()),
  hasLines: true,
};

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

function within(value: number, min: number, max: number): number | undefined {
  // Adding 0 makes a minus zero an ordinary one.
  return value >= min && value <= max ? value + 0 : undefined;
}
