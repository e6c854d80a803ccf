/**
 * Finds the place that the cells of a row lead to: by postal code and country, or by position; by an address line:
 * address-finder.ts. A finder is a pure function of its cells. `match` says how the place was found, in the words of
 * GET …/postcodes/{postcode}/check, and `nearest` for a position.
 */

import { MAX_POSTCODE_LENGTH } from '../../src/api/description/parameter-rules.js';
import { InvalidValueError } from '../../src/base/errors.js';
import { oncePer } from '../../src/base/once-per.js';
import { RecencyMap } from '../../src/base/recency-map.js';
import type { ByteString } from '../../src/core/snapshot/byte-string.js';
import type { FullCode } from '../../src/core/snapshot/full-codes.js';
import { codesOf, populationOf, timezoneOf } from '../../src/core/snapshot/place-facts.js';
import { isRecipient, parseString, readPlace } from '../../src/core/snapshot/place-fields.js';
import { isPlace, listAncestors, type PlaceType } from '../../src/core/snapshot/place-tree.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode.js';
import type { PostcodeMatch } from '../../src/core/snapshot/postcode-index.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { roundToMetres } from '../../src/core/snapshot/sphere.js';
import { findCountryByText } from '../../src/core/use-cases/countries.js';
import { ANY_COUNTRY, findNear } from '../../src/core/use-cases/nearby.js';
import { lookUpPostcode, matchKindOf, type PostcodeMatchKind } from '../../src/core/use-cases/postcode-candidates.js';
import { MAX_POSTCODE_PLACES } from '../../src/core/use-cases/postcodes.js';
import { FIELD_NAMES, type FieldName } from './plan-table.js';
import { copyText } from './table-rows.js';

/* The values of the fields that can be added to a row. */

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
  readonly distanceKm?: number;
}

export type FieldValue = string | number | null;

/** A found place with its object and its units, which are read once for all fields. */
interface ReadPlace {
  readonly snapshot: Snapshot;
  readonly found: FoundPlace;
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

const FIELDS: Readonly<Record<FieldName, ReadField>> = {
  city: ({ resource }) => resource.name,
  local_name: ({ resource }) => resource.localName,
  type: ({ resource }) => resource.type,
  municipality: (read) => unitOf(read, 'municipality')?.name ?? null,
  district: (read) => unitOf(read, 'district')?.name ?? null,
  state: (read) => unitOf(read, 'region')?.name ?? null,
  state_code: ({ found: { structures, place } }) => codesOf(structures, place).iso3166_2,
  country_code: ({ resource }) => resource.countryCode,
  country_alpha3: (read) => countryOf(read)?.alpha3 ?? null,
  country_name: ({ snapshot, resource }) => {
    const country = snapshot.countryByCode.get(resource.countryCode);
    return country === undefined ? null : parseString(snapshot.countryNamesJson[country.number] as ByteString);
  },
  postcode: ({ resource }) => resource.postalCode,
  place_count: ({ found }) => found.placeCount ?? null,
  latitude: ({ resource }) => resource.latitude,
  longitude: ({ resource }) => resource.longitude,
  distance_km: ({ found }) => found.distanceKm ?? null,
  population: ({ found: { structures, place } }) => populationOf(structures, place),
  timezone: ({ found: { structures, place } }) => timezoneOf(structures, place),
  id: ({ resource }) => resource.id,
  municipality_id: (read) => unitOf(read, 'municipality')?.id ?? null,
  district_id: (read) => unitOf(read, 'district')?.id ?? null,
  state_id: (read) => unitOf(read, 'region')?.id ?? null,
  path: ({ resource }) => resource.path,
  url: ({ resource }) => resource.url,
};

/** The names in a list with commas, each once. Throws InvalidValueError, which lists all fields. */
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
    const read = { snapshot, found, resource, units };
    return reads.map((readField) => readField(read));
  };
}

function withFullCode(place: PlaceResource, { postcode, latitude, longitude }: FullCode): PlaceResource {
  return { ...place, postalCode: postcode, latitude, longitude };
}

export const MATCHES = ['exact', 'normalised', 'partial', 'nearest', 'none'] as const;
export type Match = PostcodeMatchKind | 'nearest';

export interface Finding {
  readonly match: Match;
  /** Undefined where `match` is `none`. */
  readonly found?: FoundPlace | undefined;
  /** The country without data that the cells are about, where nothing is found. */
  readonly absent?: Country | undefined;
}

export const NOTHING_FOUND: Finding = { match: 'none' };

/** `cells` are those of the key columns, `country` is that of the row if it has one. */
export type Find = (cells: readonly string[], country: Country | undefined) => Finding;

export function createPostcodeFinder(snapshot: Snapshot): Find {
  return ([cell = ''], country) => {
    if (country?.structures === undefined || cell.trim().length > MAX_POSTCODE_LENGTH) return NOTHING_FOUND;
    const found = lookUpPostcode(snapshot, country, normalizePostcode(cell));
    if (found === undefined) return NOTHING_FOUND;
    const { match, structures, fullCode } = found;
    const place = mainPlaceOf(structures, match);
    if (place === undefined) return NOTHING_FOUND;
    const placeCount = match.places.length;
    return { match: matchKindOf(found, cell), found: { structures, place, placeCount, fullCode } };
  };
}

/** Of the places of a code, recipients aside, the one with most people, or else the first by name. */
function mainPlaceOf(structures: CountryStructures, { places }: PostcodeMatch): number | undefined {
  const shown = [...places.subarray(0, MAX_POSTCODE_PLACES)].filter((place) => isPlace(structures.tree, place));
  if (shown.length < 2) return shown[0];
  const localities = shown.filter((place) => !isRecipient(structures, place));
  let main: number | undefined;
  let most = -1;
  for (const place of localities.length > 0 ? localities : shown) {
    const people = populationOf(structures, place) ?? 0;
    if (people > most) [main, most] = [place, people];
  }
  return main;
}

/** A decimal number with a point or a comma. */
const DECIMAL = /^[+-]?\d{1,3}(?:[.,]\d{1,30})?$/;

export function createPositionFinder(snapshot: Snapshot): Find {
  return ([latCell = '', lngCell = ''], country) => {
    const [lat, lng] = [parseDegrees(latCell, 90), parseDegrees(lngCell, 180)];
    if (lat === undefined || lng === undefined) return NOTHING_FOUND;
    if (country !== undefined && country.structures === undefined) return NOTHING_FOUND;
    const near = findNear(snapshot, { lat, lng, country: country?.entry.code ?? ANY_COUNTRY });
    if (near === undefined) return NOTHING_FOUND;
    const { structures, point } = near;
    return { match: 'nearest', found: { structures, place: point.place, distanceKm: roundToMetres(point.distanceKm) } };
  };
}

function parseDegrees(cell: string, most: number): number | undefined {
  const text = cell.trim();
  if (!DECIMAL.test(text)) return undefined;
  const degrees = Number(text.replace(',', '.'));
  return Math.abs(degrees) <= most ? degrees : undefined;
}

/*
 * A cache that forgets the entry that nobody asked for the longest. Its memory is bounded by the number of entries and
 * by their values: long keys are not kept.
 */

/** Maximum length of a key in characters: twice that of an address line. Rows of a table seldom share longer cells. */
const MAX_KEY_LENGTH = 256;

export class RecentCache<Value> {
  /** Each with a copy of its key. */
  readonly #entries: RecencyMap<string, { readonly key: string; readonly value: Value }>;

  constructor(limit: number) {
    this.#entries = new RecencyMap(limit);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(entry.key, entry);
    return entry?.value;
  }

  set(key: string, value: Value): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const copy = copyText(key);
    this.#entries.set(copy, { key: copy, value });
  }
}

/* The country that a cell means: its ISO codes of two or three letters, or its name in several languages. */

/** Maximum number of cells in the cache: far more than countries have names that a table uses. */
const CACHED_CELLS = 4_000;

/** Undefined for a cell that means no country. */
export type CountryOfCell = (cell: string) => Country | undefined;

export function createCountryOfCell(snapshot: Snapshot): CountryOfCell {
  const known = new RecentCache<{ readonly country: Country | undefined }>(CACHED_CELLS);
  return (cell) => {
    const earlier = known.get(cell);
    if (earlier !== undefined) return earlier.country;
    const country = findCountryByText(snapshot, cell);
    known.set(cell, { country });
    return country;
  };
}
