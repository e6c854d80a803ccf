/**
 * Computes what pages need of a snapshot before the snapshot is served, so that no request waits for it: the other
 * names of countries, the lines of maps, the ranks of codes, the map and the largest cities of each country, and the map
 * of the world. For the world that takes 0.7 s, at most 20 ms for one step, and once 35 ms for lakes and rivers. Without
 * it, the first page that needs the same data computes it.
 */

import type { Steps } from '../base/cooperative.js';
import { codeRanksOf } from '../core/lookup/code-ranks.js';
import { naturalOrderOf } from '../core/lookup/natural-order.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { countryMapOf } from './map/country-map.js';
import { packagedMapFeatures } from './map/map-features.js';
import { packagedOutlines } from './map/outlines.js';
import { drawWorldMap } from './map/world-map.js';
import { readCountryAliases } from './reading/country-aliases.js';
import { isCovered } from './reading/covered-country.js';
import { largestCitiesOf } from './reading/largest-cities.js';

export function* prepareInSteps(snapshot: Snapshot): Steps<void> {
  readCountryAliases();
  yield;
  packagedMapFeatures();
  yield;
  for (const code of packagedOutlines().codes) {
    packagedOutlines().ringsOf(code);
    yield;
  }
  for (const country of snapshot.countries.filter(isCovered)) {
    naturalOrderOf(country.structures.postcodes);
    yield;
    codeRanksOf(country.structures);
    yield;
    countryMapOf(country);
    yield;
    largestCitiesOf(country);
    yield;
  }
  yield* drawWorldMap(snapshot);
}
