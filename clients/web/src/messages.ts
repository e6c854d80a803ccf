/**
 * The words of the form in the languages that it has. A page may replace any message and bring further languages: it
 * gives messages of its own, with `language` as their language. `{name}` in a message stands for a value. A message is
 * text, never HTML.
 */
import { LANGUAGES, WORDS } from './words.js';

/** The words for fields. address-format.ts says which country has which. */
export type TermName =
  | 'street'
  // Postal codes.
  | 'postalCode'
  | 'postcode'
  | 'zip'
  | 'eircode'
  | 'pin'
  | 'cap'
  | 'cep'
  | 'plz'
  | 'npa'
  // States.
  | 'area'
  | 'county'
  | 'department'
  | 'doSi'
  | 'emirate'
  | 'governorate'
  | 'island'
  | 'municipality'
  | 'oblast'
  | 'parish'
  | 'prefecture'
  | 'province'
  | 'region'
  | 'state'
  // Cities; a district or an area may be a state or a suburb too.
  | 'city'
  | 'district'
  | 'postTown'
  | 'suburbOrTown'
  // Suburbs.
  | 'neighborhood'
  | 'suburb';

/** A message about a number, `{count}`, by the plural rules of its language: `other` is for the numbers without a rule. */
export type PluralMessage = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export interface Messages extends Readonly<Record<TermName, string>> {
  /** The language of the messages, as BCP 47 has it. */
  readonly language: string;
  /** Name of the group of fields. */
  readonly address: string;
  readonly country: string;
  /** Beside the label of a field that may stay empty. */
  readonly optional: string;
  /** An error beside a required field that is empty. */
  readonly required: string;
  /** Name of the list of suggestions for the field with a `{label}`. */
  readonly suggestions: string;
  readonly resultCount: PluralMessage;
  readonly noResults: string;
  /** The API has no such `{code}` in the `{country}`, which may be right all the same. */
  readonly codeUnknown: string;
  /** The places are those of a `{postcode}` that is the first part of the code. */
  readonly codePartial: string;
  /** The API has the code as `{postcode}`. */
  readonly codeNormalised: string;
  /** The code is not finished: an `{example}` from the `{country}`. */
  readonly codeFormat: string;
  readonly chooseCity: PluralMessage;
  /** The chosen city has several codes. */
  readonly chooseCode: PluralMessage;
  readonly serviceAway: string;
}

/** A message that words.ts has in each language. */
export type MessageName = Exclude<keyof Messages, 'language'>;

/** By the first part of a language tag (`de-AT`); English where words.ts has no such language. */
export function messagesOf(language: string): Messages {
  const languages: readonly string[] = LANGUAGES;
  const at = Math.max(languages.indexOf(language.toLowerCase().replace(/[-_].*/, '')), 0);
  const messages = Object.entries(WORDS).map(([name, inEachLanguage]) => [name, inEachLanguage[at]]);
  return Object.fromEntries([['language', LANGUAGES[at]], ...messages]);
}

/** A message with its values, as text; a name without a value stays as it is. */
export function format(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? `${values[name]}` : whole,
  );
}

/** The message for a number, which is its `{count}`, in the language of the messages. */
export function formatCount(message: PluralMessage, count: number, language: string): string {
  return format(message[pluralRuleOf(count, language)] ?? message.other, { count });
}

/** A page may name a language that no browser knows. */
function pluralRuleOf(count: number, language: string): Intl.LDMLPluralRule {
  try {
    return new Intl.PluralRules(language).select(count);
  } catch {
    return 'other';
  }
}
