/**
 * Places as features of Photon, the geocoder of OpenStreetMap data (komoot/photon, docs/api-v1.md): the settlements
 * around a point, and what a text suggests. A settlement is a locality or a city, never a recipient. Its properties
 * name the units above it and its city.
 */

import { structuresOf } from '../lookup/countries.js';
import { DomainError } from '../lookup/domain-error.js';
import { listNearbyPlaces, type NearPlace } from '../lookup/nearby.js';
import { listCountriesAt, REVERSE_RADIUS_KM } from '../lookup/reverse.js';
import { type ByteString, jsonByteString } from '../snapshot/byte-string.js';
import { cityNameJson } from '../snapshot/city-name.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { listNearestInKdTree } from '../snapshot/kd-tree.js';
import { cityCentres, cityOf, cityOfPlace } from '../snapshot/place-cities.js';
import { boundsOf, populationOf } from '../snapshot/place-facts.js';
import { readKindField, readPointField } from '../snapshot/place-fields.js';
import { isPlace, listAncestors } from '../snapshot/place-tree.js';
import { renderedShownName, suggestedPlaceJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Circle, Position } from '../snapshot/sphere.js';
import { cityOfCodeSuggestion } from '../suggest/code-suggestions.js';
import { listSuggestedItems, type SuggestedItem } from '../suggest/suggested-items.js';
import { findAutocompleteFaults } from './autocomplete.js';
import { MAX_NEARBY, MAX_NEARBY_RADIUS_KM } from './nearby.js';

/** The types of Photon's results, its layers. The data have no houses, streets and localities within districts. */
export const PHOTON_LAYERS = [
  'house',
  'street',
  'locality',
  'district',
  'city',
  'county',
  'state',
  'country',
  'other',
] as const;
type PhotonLayer = (typeof PHOTON_LAYERS)[number];

/** A tag filter of Photon. Undefined stands for every key or value. */
export interface TagFilter {
  /** `exclude-value`: the key must be there, with another value. */
  readonly kind: 'include' | 'exclude' | 'exclude-value';
  readonly key: string | undefined;
  readonly value: string | undefined;
}

/** West, south, east and north in degrees. */
export type Box = readonly [west: number, south: number, east: number, north: number];

interface Filters {
  /** Maximum number of features. */
  readonly limit: number;
  /** Any of these; none for all. */
  readonly layers: readonly PhotonLayer[];
  readonly tags: readonly TagFilter[];
  /** Whether one feature stands for all with its name, tag and postal code; for all codes of a settlement if a city. */
  readonly dedupe: boolean;
}

export interface PhotonReverseRequest extends Filters {
  readonly lat: number;
  readonly lon: number;
  /** Undefined: REVERSE_RADIUS_KM. A search reaches no farther than MAX_NEARBY_RADIUS_KM. */
  readonly radius: number | undefined;
}

interface PhotonSearchRequest extends Filters {
  readonly query: string;
  /** Upper-case codes, of countries or not; none for all. */
  readonly countries: readonly string[];
  readonly lat: number | undefined;
  readonly lon: number | undefined;
  readonly box: Box | undefined;
}

/** A result before it is rendered. */
type Found = (SuggestedItem | { readonly kind: 'place'; readonly country: Country; readonly place: number }) & {
  /** Where the place was found, in place of its own position. */
  readonly centre?: Position;
  /** Whether a unit that is a city too is taken for a unit. */
  readonly isUnit?: true;
};

/** Maximum number of suggestions that filters are applied to: as many as autocomplete has at most. */
const MAX_FILTERED = 25;

/** The settlements around a point, the nearest first; with layers also the units above the nearest. */
export function photonReverse(snapshot: Snapshot, request: PhotonReverseRequest): ByteString {
  const { lat, lon, layers, tags, limit } = request;
  const radiusKm = Math.min(request.radius ?? REVERSE_RADIUS_KM, MAX_NEARBY_RADIUS_KM);
  const isWanted = createFilter(request);
  const withSettlements = SETTLEMENTS.some(isWanted);
  const withUnits = layers.length > 0 && [...Object.values(UNITS), COUNTRY].some(isWanted);
  if (!withSettlements && !withUnits) return renderFeatures(snapshot, [], request);
  // Filters leave some out, and one stands for several.
  const isNearestOnly = limit === 1 && layers.length === 0 && tags.length === 0;
  const settlements = listSettlements(snapshot, {
    ...{ lat, lng: lon, radiusKm },
    limit: isNearestOnly || !withSettlements ? 1 : MAX_NEARBY,
  });
  const [nearest] = settlements;
  const found = settlements.map(
    ({ country, place, latitude, longitude }): Found => ({
      kind: 'place',
      country,
      place,
      centre: { latitude, longitude },
    }),
  );
  if (nearest !== undefined && withUnits) {
    const { country, place } = nearest;
    const units = listAncestors(structuresOf(country).tree, place).reverse();
    found.push(...units.map((unit): Found => ({ kind: 'place', country, place: unit, isUnit: true })), {
      kind: 'country',
      country,
    });
  }
  return renderFeatures(snapshot, found, request);
}

type Surroundings = Circle & { readonly limit: number };

/** The nearest settlements in the countries that `reverse` looks in: none in a country without data. */
function listSettlements(snapshot: Snapshot, circle: Surroundings): NearPlace[] {
  for (const countries of listCountriesAt(snapshot, circle)) {
    const found = listSettlementsIn(snapshot, countries, circle);
    if (found.length > 0) return found;
  }
  return [];
}

/** Localities, and cities by their centres. Localities with approximate positions count only without others. */
function listSettlementsIn(snapshot: Snapshot, countries: readonly Country[], circle: Surroundings): NearPlace[] {
  const { lat, lng, limit, radiusKm } = circle;
  const sure = listNearbyPlaces(snapshot, { ...circle, countries, tiers: ['sure'] });
  const found = sure.length > 0 ? sure : listNearbyPlaces(snapshot, { ...circle, countries, tiers: ['coarse'] });
  const reachKm = found[limit - 1]?.distanceKm ?? radiusKm;
  for (const country of countries) {
    if (country.structures === undefined) continue;
    const centres = cityCentres(country.structures);
    for (const { place, point, distanceKm } of listNearestInKdTree(centres, { lat, lng, radiusKm: reachKm }, limit)) {
      const position = { latitude: centres.degrees(point, 1), longitude: centres.degrees(point, 0) };
      if (isPlace(country.structures.tree, place)) found.push({ country, place, ...position, distanceKm });
    }
  }
  const seen = new Set<string>();
  return found
    .sort((a, b) => a.distanceKm - b.distanceKm)
    .filter(({ country, place }) => !seen.has(`${country.number} ${place}`) && seen.add(`${country.number} ${place}`))
    .slice(0, limit);
}

/** What a text suggests. */
export function photonSearch(snapshot: Snapshot, request: PhotonSearchRequest): ByteString {
  const { query, countries: codes, box, limit, layers, tags } = request;
  const [fault] = findAutocompleteFaults({ query });
  if (fault !== undefined) throw new DomainError('VALIDATION_FAILED', fault.message, [fault]);
  const countries = codes.flatMap((code) => snapshot.countryByCode.get(code) ?? []);
  const isFindable = [...SETTLEMENTS, ...Object.values(UNITS), POSTCODE, COUNTRY].some(createFilter(request));
  if (!isFindable || (codes.length > 0 && countries.length === 0)) return renderFeatures(snapshot, [], request);
  const isFiltered = box !== undefined || layers.length > 0 || tags.length > 0;
  const withPlaces = countries.filter(({ structures }) => structures !== undefined);
  const isWithoutPlaces = codes.length > 0 && withPlaces.length === 0;
  const items = listSuggestedItems(snapshot, {
    query,
    kinds: isWithoutPlaces ? ['country'] : ['place', 'postcode', 'country'],
    scope: {
      countries: codes.length === 0 ? undefined : isWithoutPlaces ? countries : withPlaces,
      types: undefined,
      near: nearOf(request),
      areRecipientsLast: true,
    },
    limit: isFiltered ? MAX_FILTERED : limit,
  });
  return renderFeatures(snapshot, items, request);
}

/** A country alone, of a structured search that names nothing else that the data have. */
export function photonCountry(snapshot: Snapshot, code: string | undefined, filters: Filters): ByteString {
  const country = code === undefined ? undefined : snapshot.countryByCode.get(code);
  return renderFeatures(snapshot, country === undefined ? [] : [{ kind: 'country', country }], filters);
}

/** A point whose surroundings are favoured: that of the request, or the middle of its box. */
function nearOf({ lat, lon, box }: PhotonSearchRequest): Position | undefined {
  if (lat !== undefined && lon !== undefined) return { latitude: lat, longitude: lon };
  return box && { latitude: (box[1] + box[3]) / 2, longitude: (box[0] + box[2]) / 2 };
}

/* Filters. They come before whatever costs time: the search, the city of a place, its names and its JSON. */

/** What filters by layer and tag look at: the layer of a feature and the value of its tag. */
interface Category {
  readonly layer: PhotonLayer;
  readonly value: string;
}

const SUBURB: Category = { layer: 'district', value: 'suburb' };
/** The categories that a settlement can have: which it has is known with its city. */
const SETTLEMENTS: readonly Category[] = [
  SUBURB,
  ...['city', 'town', 'village'].map((value): Category => ({ layer: 'city', value })),
];
const POSTCODE: Category = { layer: 'other', value: 'postcode' };
const COUNTRY: Category = { layer: 'country', value: 'country' };
/** By the type of a unit. */
const UNITS: Readonly<Record<string, Category>> = {
  region: { layer: 'state', value: 'state' },
  district: { layer: 'county', value: 'county' },
  municipality: { layer: 'district', value: 'municipality' },
};

/** The key of all tags. */
const TAG_KEY = 'place';

/** Whether a category has one of the layers, and a tag that any of the including filters and no excluding one matches. */
function createFilter({ layers, tags }: Pick<Filters, 'layers' | 'tags'>): (category: Category) => boolean {
  const matches = (value: string, filter: TagFilter): boolean => {
    const isOfKey = filter.key === undefined || filter.key === TAG_KEY;
    const isOfValue = filter.value === undefined || filter.value === value;
    return isOfKey && (filter.kind === 'exclude-value' ? !isOfValue : isOfValue);
  };
  const excluding = tags.filter(({ kind }) => kind === 'exclude');
  const including = tags.filter(({ kind }) => kind !== 'exclude');
  return ({ layer, value }) =>
    (layers.length === 0 || layers.includes(layer)) &&
    (including.length === 0 || including.some((filter) => matches(value, filter))) &&
    !excluding.some((filter) => matches(value, filter));
}

function isInside({ latitude, longitude }: Position, [west, south, east, north]: Box): boolean {
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north;
}

/* Features. */

/** What a feature is made of; texts are JSON. */
interface Feature extends Category {
  readonly country: Country;
  readonly position: Position;
  readonly name: ByteString;
  readonly code?: ByteString | undefined;
  readonly id?: number;
  readonly names?: Names;
  /** Of a city: the place that stands for it. */
  readonly city?: number;
  /** West, south, east and north. */
  readonly extent?: readonly number[] | null;
}

type Names = Readonly<Partial<Record<'city' | 'district' | 'state' | 'county', ByteString>>>;

function renderFeatures(
  snapshot: Snapshot,
  found: readonly Found[],
  { limit, dedupe, box, ...filters }: Filters & { readonly box?: Box | undefined },
): ByteString {
  const isWanted = createFilter(filters);
  const mayBe = (categories: readonly Category[], position: Position): boolean =>
    categories.some(isWanted) && (box === undefined || isInside(position, box));
  const features: ByteString[] = [];
  const seen = new Set<ByteString>();
  for (const one of found) {
    if (features.length === limit) break;
    const feature = describe(snapshot, one, mayBe);
    if (feature === undefined) continue;
    const key = keyOf(feature);
    if (dedupe && key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    features.push(renderFeature(snapshot, feature));
  }
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

/** Whether a feature there that has one of these categories may be wanted. */
type Possibility = (categories: readonly Category[], position: Position) => boolean;

/** Undefined for what is not wanted, a recipient, and a country without a position. */
function describe(snapshot: Snapshot, found: Found, mayBe: Possibility): Feature | undefined {
  if (found.kind === 'place') return describePlace(found, mayBe);
  const { country } = found;
  if (found.kind === 'postcode') {
    const { postcode, mainPlace, fullCode } = found;
    const structures = structuresOf(country);
    const position = fullCode ?? readPointField(structures, mainPlace);
    if (!mayBe([POSTCODE], position)) return undefined;
    const names = { city: cityNameJson(structures, cityOfCodeSuggestion(found)), ...unitNames(structures, mainPlace) };
    const code = jsonByteString(postcode);
    return { ...POSTCODE, country, position, name: code, code, names };
  }
  const { centre } = country.entry;
  if (centre === null || !mayBe([COUNTRY], centre)) return undefined;
  return { ...COUNTRY, country, position: centre, name: snapshot.countryNamesJson[country.number] as ByteString };
}

function describePlace(
  found: Extract<Found, { kind: 'place' }> & { readonly fullCode?: FullCode | undefined },
  mayBe: Possibility,
): Feature | undefined {
  const { country, place, fullCode, centre } = found;
  const structures = structuresOf(country);
  const { renderedPlaces } = structures;
  const kind = readKindField(structures, place);
  const unit = UNITS[kind];
  if (unit === undefined && kind !== 'locality') return undefined;
  const isCity = cityOf(structures, place) === place || populationOf(structures, place) !== null;
  const isUnit = unit !== undefined && (found.isUnit === true || !isCity);
  const position = fullCode ?? centre ?? readPointField(structures, place);
  if (!mayBe(isUnit ? [unit] : SETTLEMENTS, position)) return undefined;
  if (isUnit) return { ...unit, ...describeOwn(found, position), names: unitNames(structures, place) };
  const city = cityOfPlace(structures, place);
  const cityName = cityNameJson(structures, city);
  const name = city === place ? cityName : renderedShownName(renderedPlaces, place);
  const category = cityName === name ? cityCategory(populationOf(structures, city)) : SUBURB;
  if (!mayBe([category], position)) return undefined;
  const names = { ...unitNames(structures, place), city: cityName, ...(category === SUBURB && { district: name }) };
  return { ...category, ...describeOwn(found, position), names, city };
}

/** What every feature of a place has. */
function describeOwn(
  { country, place, fullCode }: Parameters<typeof describePlace>[0],
  position: Position,
): Omit<Feature, keyof Category> {
  const structures = structuresOf(country);
  const { id, name, postalCode } = suggestedPlaceJson(structures.renderedPlaces, place);
  const code =
    fullCode !== undefined ? jsonByteString(fullCode.postcode) : postalCode === 'null' ? undefined : postalCode;
  return { country, position, name, code, id: numberOf(id), extent: boundsOf(structures, place) };
}

/** The category of a city by its people, by OpenStreetMap's usual limits. */
function cityCategory(population: number | null): Category {
  const value = (population ?? 0) >= 100_000 ? 'city' : (population ?? 0) >= 10_000 ? 'town' : 'village';
  return { layer: 'city', value };
}

function unitNames(structures: CountryStructures, place: number): Names {
  const named = listAncestors(structures.tree, place).map((unit) => {
    return [UNITS[readKindField(structures, unit)]?.layer, renderedShownName(structures.renderedPlaces, unit)];
  });
  return Object.fromEntries(named);
}

/** A number of 52 bits of a place's id, which stays as long as the id: the version is not among its digits. */
function numberOf(idField: ByteString): number {
  const digits = idField.slice('"id":"'.length, -1).replaceAll('-', '');
  return Number.parseInt(digits.slice(0, 12) + digits.slice(13, 14), 16);
}

/** What features that stand for each other have in common; undefined if none stands for this one. */
function keyOf({ country, layer, value, name, code, city }: Feature): ByteString | undefined {
  const same = layer === 'city' ? city : code;
  return same === undefined ? undefined : [country.entry.code, same, name, value].join();
}

function renderFeature(snapshot: Snapshot, feature: Feature): ByteString {
  const { country, layer, value, position, name, code, id, names = {}, extent } = feature;
  const { latitude, longitude } = position;
  const [west, south, east, north] = extent ?? [];
  // Photon's extents have north before south, and no way to cross the antimeridian.
  const box = west === undefined || west > (east as number) ? undefined : `[${west},${north},${east},${south}]`;
  const field = (key: string, json: ByteString | number | undefined): ByteString =>
    json === undefined ? '' : `,"${key}":${json}`;
  const properties =
    field('osm_id', id) +
    `,"osm_key":"${TAG_KEY}","osm_value":"${value}","type":"${layer}"${field('postcode', code)}` +
    `,"countrycode":"${country.entry.code}","name":${name}` +
    field('country', snapshot.countryNamesJson[country.number]) +
    field('city', names.city) +
    field('district', names.district === names.city ? undefined : names.district) +
    field('state', names.state) +
    field('county', names.county) +
    field('extent', box);
  return `{"type":"Feature","properties":{${properties.slice(1)}},"geometry":{"type":"Point","coordinates":[${longitude},${latitude}]}}`;
}

/* The status of the server. */

export function renderPhotonStatus({ manifest: { sourceDate } }: Snapshot): ByteString {
  // Photon's date is an instant.
  return `{"status":"Ok","import_date":${sourceDate === null ? null : jsonByteString(`${sourceDate}T00:00:00Z`)}}`;
}
