/**
 * Checks of what is said about coordinates: of each place a source that it can have, and of exactly the leaves that were
 * moved where the release has them.
 */
import { POSITION_SOURCES, type PositionSource } from '../../src/format/place-positions.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

/** By type, the sources that places can have; the other types are those of units. */
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
  const isSame = moved.length === expected.length && expected.every((place, index) => moved[index] === place);
  if (!isSame) fail(where, 'the leaves that were moved', 'others');
  moved.forEach((place, index) => {
    const [longitude, latitude] = [released[index * 2] as number, released[index * 2 + 1] as number];
    const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (!isOnEarth) fail(where, `coordinates for place ${place}`, `${latitude}, ${longitude}`);
    if (latitude === fields.latitudes[place] && longitude === fields.longitudes[place]) {
      fail(where, `place ${place} elsewhere than released`, `${latitude}, ${longitude}`);
    }
  });
}
