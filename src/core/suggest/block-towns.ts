/**
 * Suggests the town of a code that the data lack: the town that lookup/inferred-postcode.ts infers, or else, where more is
 * a help than it is for an answer, what a known code before it and one behind it share: their place of one name in one
 * unit, or their smallest common unit.
 */

import { structuresOf } from '../lookup/countries.js';
import {
  findTownOfBlock,
  firstPlacesOf,
  hasBlocks,
  hasFirstCodesOnly,
  isInBlock,
} from '../lookup/inferred-postcode.js';
import { isSameNameInUnit } from '../lookup/siblings-of-name.js';
import { isPlace, levelOf, listAncestors } from '../snapshot/place-tree.js';
import { findPostcodeAfter, indexedPostcode } from '../snapshot/postcode-index.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';
import { WORK } from '../snapshot/work-budget.js';
import type { CodeText } from './address-line.js';
import { formOf } from './code-form.js';
import type { NameQuery } from './name-query.js';
import type { Suggestion } from './suggestion.js';

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
    if (structures === undefined || (countries.length > 1 && !hasBlocks(country))) return [];
    if (!work.spend(WORK.step * (33 - Math.clz32(structures.postcodes.codeCount)))) return [];
    const next = findPostcodeAfter(structures.postcodes, compact);
    const [hasBefore, hasAfter] = [next - 1, next].map((number) => hasForm(structures, number, compact, form));
    if (!(hasBefore || hasAfter) || !work.spend(WORK.text * 4)) return [];
    const [isLikeBefore, isLikeAfter] = [next - 1, next].map((number) => isInBlock(structures, number, compact));
    const isOfCountry = countries.length === 1 || (hasBlocks(country) && form !== formOf(compact));
    const isOfBlock = hasFirstCodesOnly(country) || isOfCountry || (isLikeBefore && isLikeAfter);
    const inferred = isOfBlock ? findTownOfBlock(country, compact) : undefined;
    const isBetween = hasBefore && hasAfter && !hasFirstCodesOnly(country);
    const isClose = countries.length === 1 || (isLikeBefore && (isOfCountry || isLikeAfter));
    const town = inferred ?? (isBetween && isClose ? townOf(structures, next - 1, next) : undefined);
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

function townOf(structures: CountryStructures, before: number, after: number): number | undefined {
  const { tree } = structures;
  const [ofBefore, ofAfter] = [firstPlacesOf(structures, before), firstPlacesOf(structures, after)];
  for (const place of ofBefore) {
    if (ofAfter.some((other) => isSameNameInUnit(structures, place, other))) return place;
  }
  const unitsAfter = new Set(ofAfter.flatMap((place) => listAncestors(tree, place)));
  const shared = ofBefore
    .flatMap((place) => listAncestors(tree, place))
    .filter((unit) => unitsAfter.has(unit) && levelOf(tree, unit) > 1);
  // Places are numbered level by level: the highest number is the smallest unit.
  return shared.length === 0 ? undefined : Math.max(...shared);
}
