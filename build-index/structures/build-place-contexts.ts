/** Writes the contexts of places (src/core/snapshot/place-contexts.ts): the country by all its names, and its units. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { listSpellings } from '../../src/core/snapshot/fold-text.js';
import { contextText, PLACE_CONTEXTS_SCHEMA } from '../../src/core/snapshot/place-contexts.js';
import { isLeafType } from '../../src/core/snapshot/place-tree.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import { listCountryNames } from '../data-tables/country-names.js';
import type { SubdivisionCodes } from '../place-facts/subdivision-codes.js';
import type { OtherNames } from '../suggesting/other-names-of-units.js';
import { type CountryTree, TYPED_CODE } from '../tree/country-tree.js';
import { startsOf } from './part-starts.js';

/** Common codes of countries that are not in ISO 3166-1. */
const COMMON_CODES: Readonly<Record<string, readonly string[]>> = { GB: ['UK'] };

export function buildPlaceContexts(
  tree: CountryTree,
  otherNames: OtherNames,
  subdivisionCodes: SubdivisionCodes,
  facts: CountryFacts,
): Uint8Array[] {
  const units: number[] = [];
  const texts = [contextText(listCountryNames(facts), listCountryCodes(facts))];
  for (let place = 0; place < tree.placeCount; place++) {
    if (isLeafType(tree.types[place])) continue;
    units.push(place);
    texts.push(unitText(tree, otherNames, subdivisionCodes.get(place), place));
  }
  return encodeBundle(PLACE_CONTEXTS_SCHEMA, {
    units: Uint32Array.from(units),
    textStarts: startsOf(texts.map((text) => text.length)),
    text: Buffer.from(texts.join(''), 'latin1'),
  });
}

function listCountryCodes({ code, alpha3 }: CountryFacts): string[] {
  return [code, alpha3, ...(COMMON_CODES[code] ?? [])].filter((known) => known !== '');
}

/** `isoCode` is the unit's code of ISO 3166-2 without the country: people write "São Paulo SP". */
function unitText(tree: CountryTree, otherNames: OtherNames, isoCode: string | undefined, unit: number): string {
  const names = [tree.names[unit], tree.localNames[unit], ...(otherNames.get(unit) ?? [])] as string[];
  const codes = [...(tree.codes[unit] as string).split(','), isoCode ?? ''];
  return contextText(
    names.flatMap(listSpellings),
    codes.filter((code) => TYPED_CODE.test(code)),
  );
}
