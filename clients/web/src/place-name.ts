/** The name of a place or unit in the language of a form. */

import type { Unit } from './api-answers.js';

/** A letter that is not Latin. */
const OTHER_LETTER = /[^\P{L}\p{sc=Latn}]/u;

/**
 * The name in the form's language. Without one in the data, a form in a language with Latin letters shows the Latin
 * name, any other form the local name.
 */
export function nameOf({ name, localName }: Pick<Unit, 'name' | 'localName'>, isLatin: boolean): string {
  return isLatin || OTHER_LETTER.test(name) ? name : localName;
}
