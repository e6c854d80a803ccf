/**
 * Finds the messages of a language, and fills in their values, `{name}`. A page may replace any message and bring
 * further languages: it gives messages of its own, with `language` as their language. A message is text, never HTML.
 */

import { LANGUAGES, type Messages, type PluralMessage, WORDS } from './message-texts.js';

/** By the first part of a language tag (`de-AT`); English if message-texts.ts lacks the language. */
export function messagesOf(language: string): Messages {
  const languages: readonly string[] = LANGUAGES;
  const at = Math.max(languages.indexOf(language.toLowerCase().replace(/[-_].*/, '')), 0);
  const messages = Object.entries(WORDS).map(([name, inEachLanguage]) => [name, inEachLanguage[at]]);
  return Object.fromEntries([['language', LANGUAGES[at]], ...messages]);
}

/** A message with its values; a name without a value stays as it is. */
export function format(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? `${values[name]}` : whole,
  );
}

/** The form of the message for a number, its `{count}`, in the language of the messages. */
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
