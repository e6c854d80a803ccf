/**
 * The units of cities whose rows don't tell it (data/city-units.tsv): a city `holds` the places of a unit, whatever their
 * names; or it `lists` a unit as its part, whose places are towns to the post.
 */

import { groupBy } from '../ordering/grouping.js';
import { readDataTableOnce } from './data-table.js';

export type CityUnitRole = 'holds' | 'lists';

export interface CityUnit {
  /** The unit's path in the country. A release without the unit has no such fact. */
  readonly path: string;
  readonly role: CityUnitRole;
}

const unitsByCity = readDataTableOnce('city-units.tsv', (lines) =>
  groupBy(lines, ([, geonameId]) => Number(geonameId)),
);

/** The units of a city, by its geonameid. */
export function unitsOfCity(geonameId: number): readonly CityUnit[] {
  return (unitsByCity().get(geonameId) ?? []).map(([, , path, role]) => ({ path: path as string, role: roleOf(role) }));
}

function roleOf(text: string | undefined): CityUnitRole {
  if (text !== 'holds' && text !== 'lists') throw new Error(`city-units.tsv: a role is holds or lists, not ${text}`);
  return text;
}

const listedUnits = readDataTableOnce('city-units.tsv', (lines) => {
  return new Set(lines.flatMap(([country, , path, role]) => (role === 'lists' ? [`${country}${path}`] : [])));
});

/** Whether a city lists a unit as its part: then the unit stands for no city. */
export function isListedUnit(countryCode: string, path: string): boolean {
  return listedUnits().has(countryCode + path);
}
