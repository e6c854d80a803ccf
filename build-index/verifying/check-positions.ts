/** Checks of what is said about coordinates: known sources, and moved leaves that have moved for a reason. */
import { POSITION_SOURCES } from '../../src/format/place-positions.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

/** The sources of coordinates that are not the release's. */
const MOVING: ReadonlySet<string | undefined> = new Set(['agreement', 'gazetteer', 'hand']);

export function checkPositions({ positions }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `place-positions of ${code}`;
  const { sources, moved, released } = positions;
  sources.forEach((source, place) => {
    if (source >= POSITION_SOURCES.length) fail(where, `a known source for place ${place}`, source);
  });
  moved.forEach((place, index) => {
    const previous = moved[index - 1];
    if (previous !== undefined && previous >= place) fail(where, 'ascending places', `${previous}, ${place}`);
    if (fields.postalCodes[place] === undefined || fields.postalCodes[place] === null) fail(where, 'a leaf', place);
    const source = POSITION_SOURCES[sources[place] as number];
    if (!MOVING.has(source)) fail(where, `a reason why place ${place} has moved`, source);
    const [longitude, latitude] = [released[index * 2] as number, released[index * 2 + 1] as number];
    const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (!isOnEarth) fail(where, `coordinates for place ${place}`, `${latitude}, ${longitude}`);
    if (latitude === fields.latitudes[place] && longitude === fields.longitudes[place]) {
      fail(where, `place ${place} elsewhere than released`, `${latitude}, ${longitude}`);
    }
  });
}
