/** Writes what is told of places on request (src/format/place-facts.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { PLACE_FACTS_SCHEMA, RELEASE_CODE } from '../../src/format/place-facts.js';
import { isLeafType } from '../../src/format/place-levels.js';
import type { PlacedCity } from '../gazetteer/placed-cities.js';
import type { CountryTree } from '../tree/country-tree.js';
import { findBounds } from './place-bounds.js';
import { findPopulations } from './place-populations.js';
import { findZones } from './place-zones.js';
import type { SubdivisionCodes } from './subdivision-codes.js';

/** Throws ReleaseError, see findZones. */
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
  const textStarts = new Uint32Array(texts.length + 1);
  texts.forEach((text, number) => {
    textStarts[number + 1] = (textStarts[number] as number) + text.length;
  });
  return encodeBundle(PLACE_FACTS_SCHEMA, {
    units: Uint32Array.from(units),
    textStarts,
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
