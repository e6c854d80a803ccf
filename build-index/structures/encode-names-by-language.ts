/** Encodes names in other languages, of places or of countries (src/core/snapshot/names-by-language.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { NAMES_BY_LANGUAGE_SCHEMA, SHOWN_NAME } from '../../src/core/snapshot/names-by-language.js';
import type { LanguageNames } from '../gazetteer/names-by-language.js';
import { startsOf } from './part-starts.js';

/** `named` is in the order of places; `shownNameOf` returns the name that a place has anyway. */
export function encodeNamesByLanguage(
  named: readonly (readonly [place: number, names: LanguageNames])[],
  shownNameOf: (place: number) => string,
  languages: Iterable<string> = [],
): Uint8Array[] {
  const distinct = new Set(languages);
  for (const names of new Set(named.map(([, names]) => names))) for (const tag of names.keys()) distinct.add(tag);
  const tags = [...distinct].sort();
  const languageOf = new Map(tags.map((tag, language) => [tag, language]));
  const numbers = new Map<string, number>();
  const listNumbers = new Map<string, number>();
  const listLengths: number[] = [];
  const [places, lists, entryLanguages, entryNames]: number[][] = [[], [], [], []];
  /** The number of the list of names of a place; undefined if it has no other name than the shown one. */
  const listOf = (names: LanguageNames, shown: string): number | undefined => {
    const entries = [...names]
      .map(([tag, name]) => [languageOf.get(tag) as number, name === shown ? '' : JSON.stringify(name)] as const)
      .sort(([one], [other]) => one - other);
    if (entries.every(([, json]) => json === '')) return undefined;
    const key = entries.join('\n');
    let list = listNumbers.get(key);
    if (list === undefined) {
      list = listNumbers.size;
      listNumbers.set(key, list);
      listLengths.push(entries.length);
      for (const [language, json] of entries) {
        entryLanguages?.push(language);
        if (json !== '' && !numbers.has(json)) numbers.set(json, numbers.size);
        entryNames?.push(numbers.get(json) ?? SHOWN_NAME);
      }
    }
    return list;
  };
  let last: { readonly names: LanguageNames; readonly shown: string; readonly list: number | undefined } | undefined;
  for (const [place, names] of named) {
    const shown = shownNameOf(place);
    // The places of a city follow each other.
    if (last?.names !== names || last.shown !== shown) last = { names, shown, list: listOf(names, shown) };
    if (last.list === undefined) continue;
    places?.push(place);
    lists?.push(last.list);
  }
  if (listLengths.length === 0) return [];
  const texts = [...numbers.keys()].map((json) => Buffer.from(json));
  return encodeBundle(NAMES_BY_LANGUAGE_SCHEMA, {
    places: Uint32Array.from(places ?? []),
    lists: Uint32Array.from(lists ?? []),
    listStarts: startsOf(listLengths),
    entryLanguages: Uint16Array.from(entryLanguages ?? []),
    entryNames: Uint32Array.from(entryNames ?? []),
    nameStarts: startsOf(texts.map(({ length }) => length)),
    names: new Uint8Array(Buffer.concat(texts)),
    languages: Buffer.from(tags.map((tag) => `${tag}\n`).join('')),
  });
}
