/** The fields that can be added to a row, and their values for the place that the row leads to. */

import { InvalidValueError } from '../../src/base/errors.js';
import { oncePer } from '../../src/base/once-per.js';
import type { ByteString } from '../../src/core/snapshot/byte-string.js';
import { readCityName } from '../../src/core/snapshot/city-name.js';
import type { FullCode } from '../../src/core/snapshot/full-codes.js';
import { parseJsonString } from '../../src/core/snapshot/parse-json.js';
import { cityOfPlace } from '../../src/core/snapshot/place-cities.js';
import { placeUnitCodesOf, populationOf, timezoneOf } from '../../src/core/snapshot/place-facts.js';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import { listAncestors } from '../../src/core/snapshot/place-tree.js';
import type { PlaceType } from '../../src/core/snapshot/place-type.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';

/** The fields that can be added to a row: names of --add, and of the added columns. */
export const FIELD_NAMES = [
  'city',
  'locality',
  'local_name',
  'type',
  'municipality',
  'district',
  'state',
  'state_code',
  'country_code',
  'country_alpha3',
  'country_name',
  'postcode',
  'place_count',
  'latitude',
  'longitude',
  'distance_km',
  'population',
  'timezone',
  'id',
  'city_id',
  'municipality_id',
  'district_id',
  'state_id',
  'path',
  'url',
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];

/** A place that a row leads to. */
export interface FoundPlace {
  /** Those of the snapshot whose names are looked up, whichever the languages of the added names are. */
  readonly structures: CountryStructures;
  /** The number of the place. */
  readonly place: number;
  /** Number of places of the postal code; undefined if the row was not found by a code. */
  readonly placeCount?: number;
  /** The full code that the row has: its text and position are those of the row. */
  readonly fullCode?: FullCode | undefined;
  /** Whether the place is the town of the row's code, which the data lack: the place's own code says nothing of the row. */
  readonly isInferred?: true;
  readonly distanceKm?: number;
}

type FieldValue = string | number | null;

/** A found place with its object and its units, which are read once for all fields. */
interface ReadPlace {
  readonly snapshot: Snapshot;
  readonly found: FoundPlace;
  /** Those whose names are in the languages of readers. */
  readonly structures: CountryStructures;
  readonly resource: PlaceResource;
  /** The units around the place, root first. */
  readonly units: readonly PlaceResource[];
}

type ReadField = (read: ReadPlace) => FieldValue;

const countryOf = ({ snapshot, resource }: ReadPlace) => snapshot.countryByCode.get(resource.countryCode)?.entry;

/** The unit of a type: the place itself, or a unit around it. */
function unitOf({ resource, units }: ReadPlace, type: PlaceType): PlaceResource | undefined {
  return resource.type === type ? resource : units.find((unit) => unit.type === type);
}

/** A field of the city that the place belongs to. A unit without one was found as the town of an address: it is its own. */
function ofCity(read: (structures: CountryStructures, city: number) => FieldValue): ReadField {
  return ({ structures, found: { place } }) => read(structures, cityOfPlace(structures, place));
}

const FIELDS: Readonly<Record<FieldName, ReadField>> = {
  city: ofCity(readCityName),
  locality: ({ resource }) => resource.name,
  local_name: ({ resource }) => resource.localName,
  type: ({ resource }) => resource.type,
  municipality: (read) => unitOf(read, 'municipality')?.name ?? null,
  district: (read) => unitOf(read, 'district')?.name ?? null,
  state: (read) => unitOf(read, 'region')?.name ?? null,
  state_code: ({ found: { structures, place } }) => placeUnitCodesOf(structures, place).iso3166_2,
  country_code: ({ resource }) => resource.countryCode,
  country_alpha3: (read) => countryOf(read)?.alpha3 ?? null,
  country_name: ({ snapshot, resource }) => {
    const country = snapshot.countryByCode.get(resource.countryCode);
    return country === undefined ? null : parseJsonString(snapshot.countryNamesJson[country.number] as ByteString);
  },
  postcode: ({ resource, found }) => (found.isInferred ? null : resource.postalCode),
  place_count: ({ found }) => found.placeCount ?? null,
  latitude: ({ resource }) => resource.latitude,
  longitude: ({ resource }) => resource.longitude,
  distance_km: ({ found }) => found.distanceKm ?? null,
  population: ofCity(populationOf),
  timezone: ({ found: { structures, place } }) => timezoneOf(structures, place),
  id: ({ resource }) => resource.id,
  city_id: ofCity((structures, city) => readPlace(structures, city).id),
  municipality_id: (read) => unitOf(read, 'municipality')?.id ?? null,
  district_id: (read) => unitOf(read, 'district')?.id ?? null,
  state_id: (read) => unitOf(read, 'region')?.id ?? null,
  path: ({ resource }) => resource.path,
  url: ({ resource }) => resource.url,
};

/** The names in a list with commas, each once. The error lists all fields. */
export function parseFields(list: string): FieldName[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const unknown = names.filter((name) => !FIELD_NAMES.some((known) => known === name));
  if (unknown.length === 0 && names.length > 0) return names as FieldName[];
  const fault = names.length === 0 ? 'names no field' : `has no field ${unknown.join(', ')}`;
  throw new InvalidValueError(`--add ${fault}; the fields are ${FIELD_NAMES.join(', ')}`);
}

/** Maximum number of lists of units that stay read, of 1 to 2 kB each: most places of a dozen big countries are in one. */
const MAX_READ_UNITS = 20_000;

/** A function that reads the units around a place, root first. A full cache is emptied: the next rows fill it again. */
function createUnitReader(): (structures: CountryStructures, place: number) => readonly PlaceResource[] {
  const known = new Map<CountryStructures, Map<number, readonly PlaceResource[]>>();
  let count = 0;
  return (structures, place) => {
    const parent = structures.tree.parents[place] as number;
    const earlier = known.get(structures)?.get(parent);
    if (earlier !== undefined) return earlier;
    if (count++ === MAX_READ_UNITS) {
      known.clear();
      count = 1;
    }
    const units = listAncestors(structures.tree, place).map((unit) => readPlace(structures, unit));
    const ofCountry = known.get(structures) ?? new Map<number, readonly PlaceResource[]>();
    known.set(structures, ofCountry.set(parent, units));
    return units;
  };
}

/** Reads the values of fields, in the order of their names, as the snapshot has them in the languages of readers. */
export function createFieldReader(
  snapshot: Snapshot,
  names: readonly FieldName[],
): (found: FoundPlace) => readonly FieldValue[] {
  const reads = names.map((name) => FIELDS[name]);
  const needsUnits = names.some((name) => /^(?:municipality|district|state)(?:_id)?$/.test(name));
  const readUnits = createUnitReader();
  const structuresInLanguages = oncePer((structures: CountryStructures) => {
    const { countryCode } = readPlace(structures, 0);
    return snapshot.countryByCode.get(countryCode)?.structures ?? structures;
  });
  return (found) => {
    const { place, fullCode } = found;
    const structures = structuresInLanguages(found.structures);
    const own = readPlace(structures, place);
    const resource = fullCode === undefined ? own : withFullCode(own, fullCode);
    const units = needsUnits ? readUnits(structures, place) : [];
    const read = { snapshot, found, structures, resource, units };
    return reads.map((readField) => readField(read));
  };
}

function withFullCode(place: PlaceResource, { postcode, latitude, longitude }: FullCode): PlaceResource {
  return { ...place, postalCode: postcode, latitude, longitude };
}
