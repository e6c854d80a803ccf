/**
 * Codes that the data lack in countries that assign codes in blocks. A code between two known codes of one town belongs
 * to that town: their place of one name in one unit, or their smallest common unit. Where the data have only the first
 * code of each block, the code belongs to the town of the known code before it.
 */

import { structuresOf } from '../lookup/countries.js';
import { isPlace, levelOf, listAncestors } from '../snapshot/place-tree.js';
import { findPostcodeAfter, indexedPostcode, indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';
import { WORK } from '../snapshot/work-budget.js';
import type { CodeText } from './address-line.js';
import { formOf } from './code-form.js';
import type { NameQuery } from './name-query.js';
import type { Suggestion } from './suggestion.js';

/**
 * The countries that give each street or office a code from the block of its town, so that no release has all codes, and
 * the number of characters that a block's first code shares with its other codes; 0 where the data have many codes of a
 * block. Source: Universal Postal Union, Postal addressing systems, country sheets.
 */
const BLOCKS: ReadonlyMap<string, number> = new Map([
  ['BR', 1],
  ['CN', 3],
  ...['JP', 'KR', 'LT', 'PL', 'PT', 'RU', 'SG', 'TW'].map((country) => [country, 0] as const),
]);
/** Number of characters at the end in which codes of one block differ, where no country is given. */
const UNSURE_DIGITS = 3;
/** Maximum number of places of a code that are compared. */
const MAX_BLOCK_TOWNS = 8;

/** The town of a code in each country whose codes have its form. */
export function findBlockTowns(
  countries: readonly Country[],
  { code, form }: CodeText,
  { work }: NameQuery,
): Suggestion[] {
  const compact = compactPostcode(code);
  if (!/^\d+$/.test(compact)) return [];
  return countries.flatMap((country) => {
    const { structures } = country;
    const shared = BLOCKS.get(country.entry.code);
    if (structures === undefined || (shared === undefined && countries.length > 1)) return [];
    if (!work.spend(WORK.step * (33 - Math.clz32(structures.postcodes.codeCount)))) return [];
    const next = findPostcodeAfter(structures.postcodes, compact);
    const [hasBefore, hasAfter] = [next - 1, next].map((number) => hasForm(structures, number, compact, form));
    if (!hasBefore || !work.spend(WORK.text * 2)) return [];
    const isOfBlock = shared !== undefined && shared > 0;
    const hasOwnForm = shared !== undefined && form !== formOf(compact);
    const isClose =
      countries.length === 1 ||
      (isLike(structures, next - 1, compact) && (hasOwnForm || isLike(structures, next, compact)));
    const between = hasAfter && isClose && !isOfBlock ? townOf(structures, next - 1, next) : undefined;
    const isNear = isOfBlock && indexedPostcode(structures.postcodes, next - 1).startsWith(compact.slice(0, shared));
    const town = between ?? (isNear ? indexedPostcodePlaces(structures.postcodes, next - 1)[0] : undefined);
    return town === undefined || !isPlace(structures.tree, town) ? [] : [{ country, place: town }];
  });
}

/** The town of the first code with a start, where the data have no code that starts so: "013" for 01000-000. */
export function findBlockTownsFrom(country: Country, start: Omit<CodeText, 'form'>, names: NameQuery): Suggestion[] {
  const { postcodes } = structuresOf(country);
  const { length } = compactPostcode(indexedPostcode(postcodes, 0));
  const code = compactPostcode(start.code).padEnd(length, '0');
  return findBlockTowns([country], { ...start, code, form: formOf(code) }, names);
}

/** Whether a code of the data has the form of the typed one, or its length if no separator was typed. */
function hasForm({ postcodes }: CountryStructures, number: number, compact: string, form: string): boolean {
  if (number < 0 || number >= postcodes.codeCount) return false;
  const spelling = indexedPostcode(postcodes, number);
  return form === formOf(compact) ? compactPostcode(spelling).length === compact.length : formOf(spelling) === form;
}

/** Whether a code is the same but for its last characters. */
function isLike({ postcodes }: CountryStructures, number: number, compact: string): boolean {
  const start = compact.slice(0, -UNSURE_DIGITS);
  return compactPostcode(indexedPostcode(postcodes, number)).startsWith(start);
}

function townOf(structures: CountryStructures, before: number, after: number): number | undefined {
  const { tree, renderedPlaces } = structures;
  const [ofBefore, ofAfter] = [before, after].map((number) =>
    [...indexedPostcodePlaces(structures.postcodes, number).subarray(0, MAX_BLOCK_TOWNS)].filter((place) =>
      isPlace(tree, place),
    ),
  ) as [number[], number[]];
  for (const place of ofBefore) {
    const name = placeNameJson(renderedPlaces, place);
    const isSame = (other: number): boolean =>
      tree.parents[other] === tree.parents[place] && placeNameJson(renderedPlaces, other) === name;
    if (ofAfter.some(isSame)) return place;
  }
  const unitsAfter = new Set(ofAfter.flatMap((place) => listAncestors(tree, place)));
  const shared = ofBefore
    .flatMap((place) => listAncestors(tree, place))
    .filter((unit) => unitsAfter.has(unit) && levelOf(tree, unit) > 1);
  // Places are numbered level by level: the highest number is the smallest unit.
  return shared.length === 0 ? undefined : Math.max(...shared);
}
