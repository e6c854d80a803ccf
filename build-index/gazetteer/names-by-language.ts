/**
 * Chooses the name of a place in each language from its alternate names. A plausible name is in a script of its language,
 * and no code, number or explanation; none is taken that is marked short, colloquial or historic.
 */

import { normalizeTag, scriptOfLanguageTag } from '../../src/core/snapshot/language-tags.js';
import { memoize } from '../ordering/grouping.js';
import type { AlternateName } from './alternate-name-row.js';

/** The name in each language, by tag. */
export type LanguageNames = ReadonlyMap<string, string>;

/** Scripts that some languages are written in besides their usual one; a name in it gets a tag of its own. */
const OTHER_SCRIPTS: Readonly<Record<string, string>> = {
  az: 'Cyrl',
  ku: 'Arab',
  sr: 'Latn',
  tt: 'Latn',
  ug: 'Latn',
  uz: 'Cyrl',
};
/** The scripts of Unicode that a script of ISO 15924 consists of, where it is not one of Unicode's itself. */
const PARTS_OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani', 'Bopo'],
  Hant: ['Hani', 'Bopo'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
};
/** A code of an airport or a unit, a number, or an explanation in parentheses. */
const NO_NAME = /^[A-Z]{2,4}$|^[^\p{Ll}\p{Lo}]*\d[^\p{Ll}\p{Lo}]*$|[()（）]/u;

/** Whether all letters of a name are of a script. */
const createScriptTest = memoize((script: string) => {
  const parts = (PARTS_OF_SCRIPTS[script] ?? [script]).map((part) => `\\p{scx=${part}}`).join('');
  return new RegExp(`^[${parts}\\P{L}]*$`, 'u');
});

const normalizedTag = memoize((language: string) => normalizeTag(language));
const scriptOfTag = memoize((tag: string) => scriptOfLanguageTag(tag));

/** The tag under which a name is written down; undefined if it is no plausible name of its language. */
function tagOf({ name, language }: Pick<AlternateName, 'name' | 'language'>): string | undefined {
  const tag = normalizedTag(language);
  if (tag === undefined || NO_NAME.test(name)) return undefined;
  const script = scriptOfTag(tag);
  if (script === undefined || createScriptTest(script).test(name)) return tag;
  const other = OTHER_SCRIPTS[tag];
  return other !== undefined && createScriptTest(other).test(name) ? `${tag}-${other}` : undefined;
}

/** The first plausible name in each language; `names` are in the order of preference. */
export function chooseNames(names: readonly AlternateName[]): LanguageNames {
  const chosen = new Map<string, string>();
  for (const alternate of names) {
    if (alternate.isShort || alternate.isColloquial || alternate.isHistoric) continue;
    const tag = tagOf(alternate);
    if (tag !== undefined && !chosen.has(tag)) chosen.set(tag, alternate.name.normalize('NFC'));
  }
  return chosen;
}
