/** Writes the facts that a request may ask of places (src/core/snapshot/place-facts.ts): see the folder place-facts. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { PLACE_FACTS_SCHEMA, RELEASE_CODE } from '../../src/core/snapshot/place-facts.js';
import { isLeafType } from '../../src/core/snapshot/place-tree.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { findPopulations } from '../place-facts/populations.js';
import type { SubdivisionCodes } from '../place-facts/subdivision-codes.js';
import { findZones } from '../place-facts/time-zones.js';
import { findBounds } from '../place-facts/unit-bounds.js';
import type { CountryTree } from '../tree/country-tree.js';
import { startsOf } from './part-starts.js';

export function buildPlaceFacts(
  tree: CountryTree,
  subdivisionCodes: SubdivisionCodes,
  cities: readonly PlacedCity[],
): Uint8Array[] {
  const { names, zones } = findZones(tree, cities);
  const populations = findPopulations(tree, cities);
  const { units: boundedUnits, bounds } = findBounds(tree);
  const units = listTopUnits(tree);
  const texts = [...names, ...units.flatMap((unit) => codeTexts(tree, subdivisionCodes, unit))].map(
    (text) => `${text}\n`,
  );
  return encodeBundle(PLACE_FACTS_SCHEMA, {
    units: Uint32Array.from(units),
    textStarts: startsOf(texts.map((text) => text.length)),
    text: Buffer.from(texts.join(''), 'latin1'),
    zones,
    populated: Uint32Array.from(populations.keys()),
    populations: Uint32Array.from(populations.values()),
    boundedUnits,
    bounds,
  });
}

function listTopUnits({ levelStarts, types }: CountryTree): number[] {
  const units: number[] = [];
  for (let place = 0; place < (levelStarts[1] as number); place++) if (!isLeafType(types[place])) units.push(place);
  return units;
}

function codeTexts(tree: CountryTree, subdivisionCodes: SubdivisionCodes, unit: number): [string, string] {
  const code = subdivisionCodes.get(unit);
  const released = tree.releaseCodes[unit]?.[0] ?? '';
  return [code === undefined ? '' : `${tree.countryCode}-${code}`, RELEASE_CODE.test(released) ? released : ''];
}
