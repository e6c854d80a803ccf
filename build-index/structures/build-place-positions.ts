/** Writes the sources of the places' coordinates (src/core/snapshot/place-facts.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { PLACE_POSITIONS_SCHEMA } from '../../src/core/snapshot/place-facts.js';
import { isLeafType } from '../../src/core/snapshot/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlacePositions(tree: CountryTree): Uint8Array[] {
  const { sources, types, latitudes, longitudes, releasedLatitudes, releasedLongitudes } = tree;
  const moved: number[] = [];
  const released: number[] = [];
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isLeafType(types[place])) continue;
    if (latitudes[place] === releasedLatitudes[place] && longitudes[place] === releasedLongitudes[place]) continue;
    moved.push(place);
    released.push(releasedLongitudes[place] as number, releasedLatitudes[place] as number);
  }
  return encodeBundle(PLACE_POSITIONS_SCHEMA, {
    sources,
    moved: Uint32Array.from(moved),
    released: Float64Array.from(released),
  });
}
