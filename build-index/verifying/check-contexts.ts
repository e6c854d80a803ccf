/** Checks the contexts of places: the country and each admin unit have a text with their folded names. */
import { isFolded, listSpellings } from '../../src/format/fold-text.js';
import type { CountryEntry } from '../../src/format/manifest.js';
import { contextText } from '../../src/format/place-contexts.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

const CODE_LINE = /^=[a-z0-9]{2,6}$/;

export function checkContexts(
  { contexts, tree }: CountryStructures,
  fields: PlaceFields,
  { code, name }: CountryEntry,
): void {
  const where = `place-contexts of ${code}`;
  const { names, localNames, postalCodes } = fields;
  const text = Buffer.from(contexts.text).toString('latin1');
  const textOf = (number: number): string => text.slice(contexts.textStarts[number], contexts.textStarts[number + 1]);
  checkLines(textOf(0), where);
  if (!textOf(0).startsWith(contextText(listSpellings(name), []))) fail(where, `the name ${name}`, textOf(0));
  if (!textOf(0).includes(`\n=${code.toLowerCase()}\n`)) fail(where, `the code ${code}`, textOf(0));
  let unit = 0;
  for (let place = 0; place < tree.placeCount; place++) {
    if (postalCodes[place] !== null) continue;
    if (contexts.units[unit] !== place) fail(where, `the unit ${place}`, contexts.units[unit]);
    const found = textOf(++unit);
    checkLines(found, where);
    const spellings = [names[place], localNames[place]].flatMap((name) => listSpellings(name as string));
    if (!found.startsWith(contextText(spellings, []))) fail(where, `names of the unit ${place}`, found);
  }
  if (contexts.units.length !== unit) fail(where, `${unit} units`, contexts.units.length);
}

function checkLines(text: string, where: string): void {
  if (text === '') return;
  if (!text.endsWith('\n')) fail(where, 'lines', text);
  const wrong = text
    .slice(0, -1)
    .split('\n')
    .find((line) => !isFolded(line) && !CODE_LINE.test(line));
  if (wrong !== undefined) fail(where, 'folded names and codes', wrong);
}
