/** The fields that can be added to a row, by the names that --add and the added columns have. */

import type { PlaceType } from '../../src/format/place-levels.js';
import type { PlaceResource } from '../../src/format/rendered-places.js';
import { codesOf, populationOf, timezoneOf } from '../../src/store/place-facts.js';
import { readPlace } from '../../src/store/place-fields.js';
import { listAncestors } from '../../src/store/place-tree.js';
import type { CountryStructures, Snapshot } from '../../src/store/snapshot.js';
import { RecentCache } from './recent-cache.js';
import { UsageError } from './usage-error.js';

/** A place that a row leads to. */
export interface FoundPlace {
  readonly structures: CountryStructures;
  /** The number of the place. */
  readonly place: number;
  /** Number of places of the postal code; undefined if the row was not found by a code. */
  readonly placeCount?: number;
  readonly distanceKm?: number;
}

export type FieldValue = string | number | null;

/** A found place with its object and its units, which are read once for all fields. */
interface ReadPlace extends FoundPlace {
  readonly snapshot: Snapshot;
  readonly resource: PlaceResource;
  /** The units around the place, root first, and the place itself. */
  readonly line: readonly PlaceResource[];
}

type ReadField = (read: ReadPlace) => FieldValue;

const countryOf = ({ snapshot, resource }: ReadPlace) => snapshot.countryByCode.get(resource.countryCode)?.entry;
const unitName =
  (type: PlaceType): ReadField =>
  ({ line }) =>
    line.find((unit) => unit.type === type)?.name ?? null;
const unitId =
  (type: PlaceType): ReadField =>
  ({ line }) =>
    line.find((unit) => unit.type === type)?.id ?? null;

const FIELDS: Readonly<Record<string, ReadField>> = {
  city: ({ resource }) => resource.name,
  local_name: ({ resource }) => resource.localName,
  type: ({ resource }) => resource.type,
  municipality: unitName('municipality'),
  district: unitName('district'),
  state: unitName('region'),
  state_code: ({ structures, place }) => codesOf(structures, place).iso3166_2,
  country_code: ({ resource }) => resource.countryCode,
  country_alpha3: (read) => countryOf(read)?.alpha3 ?? null,
  country_name: (read) => countryOf(read)?.name ?? null,
  postcode: ({ resource }) => resource.postalCode,
  place_count: ({ placeCount }) => placeCount ?? null,
  latitude: ({ resource }) => resource.latitude,
  longitude: ({ resource }) => resource.longitude,
  distance_km: ({ distanceKm }) => distanceKm ?? null,
  population: ({ structures, place }) => populationOf(structures, place),
  timezone: ({ structures, place }) => timezoneOf(structures, place),
  id: ({ resource }) => resource.id,
  municipality_id: unitId('municipality'),
  district_id: unitId('district'),
  state_id: unitId('region'),
  path: ({ resource }) => resource.path,
  url: ({ resource }) => resource.url,
};

export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

/** The names in a list with commas, each once. Throws UsageError, which lists all fields. */
export function parseFields(list: string): string[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const unknown = names.filter((name) => !Object.hasOwn(FIELDS, name));
  if (unknown.length === 0 && names.length > 0) return names;
  const fault = names.length === 0 ? 'names no field' : `has no field ${unknown.join(', ')}`;
  throw new UsageError(`--add ${fault}; the fields are ${FIELD_NAMES.join(', ')}`);
}

/** Maximum number of units in each generation of the cache: the level-3 units of a dozen big countries, 20 MB. */
const CACHED_UNITS = 20_000;

/** Reads the values of fields, in the order of their names. */
export function createFieldReader(
  snapshot: Snapshot,
  names: readonly string[],
): (found: FoundPlace) => readonly FieldValue[] {
  const reads = names.map((name) => FIELDS[name] as ReadField);
  const needsUnits = names.some((name) => /^(?:municipality|district|state)(?:_id)?$/.test(name));
  const units = new RecentCache<PlaceResource>(CACHED_UNITS);
  const readUnit = (structures: CountryStructures, country: string, unit: number): PlaceResource => {
    const key = `${country}${unit}`;
    const known = units.get(key);
    if (known !== undefined) return known;
    const resource = readPlace(structures, unit);
    units.set(key, resource);
    return resource;
  };
  return (found) => {
    const { structures, place } = found;
    const resource = readPlace(structures, place);
    const ancestors = needsUnits ? listAncestors(structures.tree, place) : [];
    const line = [...ancestors.map((unit) => readUnit(structures, resource.countryCode, unit)), resource];
    const read = { ...found, snapshot, resource, line };
    return reads.map((readField) => readField(read));
  };
}
