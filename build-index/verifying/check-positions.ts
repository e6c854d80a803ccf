/**
 * Checks the sources of coordinates: each place has a source that is possible for its type, and exactly the moved
 * leaves have the release's coordinates.
 */
import { POSITION_SOURCES, type PositionSource } from '../../src/format/place-positions.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { fail, mustEqual } from './fail.js';

/** The possible sources by type of leaf. */
const SOURCES: Readonly<Record<string, readonly PositionSource[]>> = {
  locality: POSITION_SOURCES,
  recipient: ['release', 'hand'],
};
const SOURCES_OF_UNITS: readonly PositionSource[] = ['release', 'gazetteer'];

export function checkPositions({ positions }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `place-positions of ${code}`;
  const { sources, moved, released } = positions;
  const expected: number[] = [];
  sources.forEach((number, place) => {
    const source = POSITION_SOURCES[number];
    const isLeaf = fields.postalCodes[place] !== null;
    const possible = SOURCES[fields.types[place] as string] ?? SOURCES_OF_UNITS;
    if (source === undefined || !possible.includes(source))
      fail(where, `a source that place ${place} can have`, number);
    if (isLeaf && (source === 'agreement' || source === 'gazetteer')) expected.push(place);
  });
  mustEqual(where, 'the moved leaves', moved, expected);
  moved.forEach((place, index) => {
    const [longitude, latitude] = [released[index * 2] as number, released[index * 2 + 1] as number];
    const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (!isOnEarth) fail(where, `coordinates for place ${place}`, `${latitude}, ${longitude}`);
    if (latitude === fields.latitudes[place] && longitude === fields.longitudes[place]) {
      fail(where, `place ${place} elsewhere than released`, `${latitude}, ${longitude}`);
    }
  });
}
