/** Checks names in other languages (src/core/snapshot/names-by-language.ts). */

import { isUtf8 } from 'node:buffer';
import { bufferOfArray } from '../../src/core/snapshot/array-bundle.js';
import { normalizeTag } from '../../src/core/snapshot/language-tags.js';
import {
  languagesOf,
  MAX_NAME_BYTES,
  type NamesByLanguage,
  SHOWN_NAME,
} from '../../src/core/snapshot/names-by-language.js';
import { checkAscending, checkBelow, checkPlaceList, failArrayCheck } from './array-checks.js';

/** Names in other languages: lists of places that exist, with languages that exist, and names that are JSON. */
export function checkNamesByLanguage(names: NamesByLanguage | undefined, where: string): void {
  if (names === undefined) return;
  const { placeCount, places, lists, listStarts, entryLanguages, entryNames, nameStarts } = names;
  const tags = languagesOf(names);
  const isRight = tags.every((tag, at) => normalizeTag(tag) === tag && (at === 0 || (tags[at - 1] as string) < tag));
  if (!isRight || `${tags.join('\n')}\n` !== bufferOfArray(names.languages).toString()) {
    failArrayCheck(`${where}.languages`, 'tags of languages, ascending', tags);
  }
  checkPlaceList(`${where}.places`, places, placeCount);
  checkBelow(`${where}.lists`, lists, listStarts.length - 1);
  checkAscending(`${where}.listStarts`, listStarts, 1);
  checkBelow(`${where}.entryLanguages`, entryLanguages, tags.length);
  for (let list = 1; list < listStarts.length; list++) {
    const [start, end] = [listStarts[list - 1] as number, listStarts[list] as number];
    checkAscending(`${where}.entryLanguages`, entryLanguages.subarray(start, end), 1);
  }
  const wrong = entryNames.find((name) => name >= nameStarts.length - 1 && name !== SHOWN_NAME);
  if (wrong !== undefined) failArrayCheck(`${where}.entryNames`, `numbers below ${nameStarts.length - 1}`, wrong);
  checkAscending(`${where}.nameStarts`, nameStarts, 1);
  if (!isUtf8(names.names)) failArrayCheck(`${where}.names`, 'UTF-8', 'other bytes');
  for (let name = 1; name < nameStarts.length; name++) {
    const [start, end] = [nameStarts[name - 1] as number, nameStarts[name] as number];
    const json = names.names.toString('utf8', start, end);
    if (end - start > MAX_NAME_BYTES || !isJsonString(json)) failArrayCheck(`${where}.names`, 'a string of JSON', json);
  }
}

function isJsonString(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' && value !== '' && JSON.stringify(value) === json;
  } catch {
    return false;
  }
}
