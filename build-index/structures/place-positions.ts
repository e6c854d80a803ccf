/** Writes the sources of the places' coordinates (src/format/place-positions.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { isLeafType } from '../../src/format/place-levels.js';
import { PLACE_POSITIONS_SCHEMA } from '../../src/format/place-positions.js';
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
