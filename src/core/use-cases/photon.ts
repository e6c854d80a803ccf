/**
 * Places as features of Photon, the geocoder of OpenStreetMap data (komoot/photon, docs/api-v1.md): the settlements
 * around a point, and what a text suggests. A settlement is a locality or a city, never a recipient. Its properties
 * name the units above it and its city (settlements.ts).
 */

import { type ByteString, quoteJson } from '../snapshot/byte-string.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { boundsOf, populationOf } from '../snapshot/place-facts.js';
import { readKind, readPoint } from '../snapshot/place-fields.js';
import { listAncestors } from '../snapshot/place-tree.js';
import { shownNameJson, suggestedPlaceJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Position } from '../snapshot/sphere.js';
import { findQueryFaults, listSuggestedItems, type SuggestedItem } from '../suggest/autocomplete.js';
import { structuresOf } from './countries.js';
import { DomainError } from './domain-error.js';
import { MAX_NEARBY, MAX_NEARBY_RADIUS_KM, REVERSE_RADIUS_KM } from './nearby.js';
import { findCity, listSettlements } from './settlements.js';

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
export type PhotonLayer = (typeof PHOTON_LAYERS)[number];

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

export interface PhotonSearchRequest extends Filters {
  readonly query: string;
  /** Upper-case codes, of countries or not; none for all. */
  readonly countries: readonly string[];
  readonly lat: number | undefined;
  readonly lon: number | undefined;
  readonly box: Box | undefined;
}

/** A result before it is rendered. */
type Found = (SuggestedItem | { readonly kind: 'place'; readonly country: Country; readonly place: number }) & {
  /** Where the city is looked for, in place of the place's own position. */
  readonly at?: Position;
  /** Whether a unit that is a city too is taken for a unit. */
  readonly isUnit?: true;
};

/** Maximum number of suggestions that filters are applied to: as many as autocomplete has at most. */
const MAX_FILTERED = 25;

/** The settlements around a point, the nearest first; with layers also the units above the nearest. */
export function photonReverse(snapshot: Snapshot, request: PhotonReverseRequest): ByteString {
  const { lat, lon, layers, tags, limit } = request;
  const radiusKm = Math.min(request.radius ?? REVERSE_RADIUS_KM, MAX_NEARBY_RADIUS_KM);
  const point: Position = { latitude: lat, longitude: lon };
  // Filters leave some out, and one stands for several.
  const isNearestOnly = limit === 1 && layers.length === 0 && tags.length === 0;
  const settlements = listSettlements(snapshot, point, radiusKm, isNearestOnly ? 1 : MAX_NEARBY);
  const [nearest] = settlements;
  const found: Found[] = settlements.map((one, index) => ({
    kind: 'place',
    ...one,
    ...(index === 0 && { at: point }),
  }));
  if (nearest !== undefined && layers.length > 0) {
    const { country, place } = nearest;
    const units = listAncestors(structuresOf(country).tree, place).reverse();
    found.push(...units.map((unit): Found => ({ kind: 'place', country, place: unit, isUnit: true })), {
      kind: 'country',
      country,
    });
  }
  return renderFeatures(snapshot, found, request);
}

/** What a text suggests. Throws DomainError VALIDATION_FAILED. */
export function photonSearch(snapshot: Snapshot, request: PhotonSearchRequest): ByteString {
  const { query, countries: codes, box, limit, layers, tags } = request;
  const [fault] = findQueryFaults({ query });
  if (fault !== undefined) throw new DomainError('VALIDATION_FAILED', fault.message, [fault]);
  const countries = codes.flatMap((code) => snapshot.countryByCode.get(code) ?? []);
  if (codes.length > 0 && countries.length === 0) return renderFeatures(snapshot, [], request);
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

/* Features. */

/** What filters look at, and the JSON of the feature. */
interface Feature {
  readonly layer: PhotonLayer;
  readonly value: string;
  readonly position: Position;
  /** What features that stand for each other have in common; undefined if none stands for this. */
  readonly key: ByteString | undefined;
  readonly json: ByteString;
}

function renderFeatures(
  snapshot: Snapshot,
  found: readonly Found[],
  { limit, layers, tags, dedupe, box }: Filters & { readonly box?: Box | undefined },
): ByteString {
  const features: ByteString[] = [];
  const seen = new Set<ByteString>();
  for (const one of found) {
    if (features.length === limit) break;
    const feature = describe(snapshot, one);
    if (feature === undefined) continue;
    const { layer, value, position, key } = feature;
    if (layers.length > 0 && !layers.includes(layer)) continue;
    if (!isTagged(value, tags) || (box !== undefined && !isInside(position, box))) continue;
    if (dedupe && key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    features.push(feature.json);
  }
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

/** The key of all tags. */
const TAG_KEY = 'place';

/** Any of the including filters and none of the excluding ones matches. */
function isTagged(value: string, filters: readonly TagFilter[]): boolean {
  const including = filters.filter(({ kind }) => kind !== 'exclude');
  const matches = (filter: TagFilter): boolean => {
    const isOfKey = filter.key === undefined || filter.key === TAG_KEY;
    const isOfValue = filter.value === undefined || filter.value === value;
    return isOfKey && (filter.kind === 'exclude-value' ? !isOfValue : isOfValue);
  };
  return (
    (including.length === 0 || including.some(matches)) &&
    !filters.some((one) => one.kind === 'exclude' && matches(one))
  );
}

function isInside({ latitude, longitude }: Position, [west, south, east, north]: Box): boolean {
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north;
}

/** The layer of a unit's type, and the value of its tag. */
const UNITS: Readonly<Record<string, { readonly layer: PhotonLayer; readonly value: string } | undefined>> = {
  region: { layer: 'state', value: 'state' },
  district: { layer: 'county', value: 'county' },
  municipality: { layer: 'district', value: 'municipality' },
};

/** Undefined for a recipient, and for a country without a position. */
function describe(snapshot: Snapshot, found: Found): Feature | undefined {
  if (found.kind === 'place') return describePlace(snapshot, found);
  if (found.kind === 'postcode') {
    const { country, postcode, mainPlace, fullCode } = found;
    const structures = structuresOf(country);
    const position = fullCode ?? readPoint(structures, mainPlace);
    const city = findCity(country, mainPlace, position);
    const names = { city: shownNameJson(structures.renderedPlaces, city), ...unitNames(structures, mainPlace) };
    const code = quoteJson(postcode);
    return feature(snapshot, country, { layer: 'other', value: 'postcode', position, name: code, code, names });
  }
  const { country } = found;
  const { centre } = country.entry;
  const name = snapshot.countryNamesJson[country.number] as ByteString;
  return centre === null
    ? undefined
    : feature(snapshot, country, { layer: 'country', value: 'country', position: centre, name });
}

function describePlace(
  snapshot: Snapshot,
  found: Extract<Found, { kind: 'place' }> & { readonly fullCode?: FullCode | undefined },
): Feature | undefined {
  const { country, place, at, fullCode } = found;
  const structures = structuresOf(country);
  const kind = readKind(structures, place);
  const unit = UNITS[kind];
  if (unit === undefined && kind !== 'locality') return undefined;
  const { renderedPlaces } = structures;
  const { id, name, postalCode } = suggestedPlaceJson(renderedPlaces, place);
  const position = fullCode ?? readPoint(structures, place);
  const code = fullCode !== undefined ? quoteJson(fullCode.postcode) : postalCode === 'null' ? undefined : postalCode;
  const more = { position, name, code, id: numberOf(id), extent: boundsOf(structures, place) };
  const names = unitNames(structures, place);
  if (unit !== undefined && (found.isUnit || populationOf(structures, place) === null)) {
    return feature(snapshot, country, { ...unit, ...more, names });
  }
  const city = findCity(country, place, at ?? position);
  const cityName = shownNameJson(renderedPlaces, city);
  if (cityName !== name) {
    const district = { ...names, city: cityName, district: name };
    return feature(snapshot, country, { layer: 'district', value: 'suburb', ...more, names: district });
  }
  const value = settlementOf(populationOf(structures, city));
  return feature(snapshot, country, { layer: 'city', value, ...more, names: { ...names, city: name } });
}

/** The value of a settlement's tag, by OpenStreetMap's usual limits. */
function settlementOf(population: number | null): string {
  return (population ?? 0) >= 100_000 ? 'city' : (population ?? 0) >= 10_000 ? 'town' : 'village';
}

type Names = Readonly<Partial<Record<'city' | 'district' | 'state' | 'county', ByteString>>>;

function unitNames(structures: CountryStructures, place: number): Names {
  const named = listAncestors(structures.tree, place).map((unit) => {
    return [UNITS[readKind(structures, unit)]?.layer, shownNameJson(structures.renderedPlaces, unit)];
  });
  return Object.fromEntries(named);
}

/** A number of 52 bits of a place's id, which stays as long as the id: the version is not among its digits. */
function numberOf(idField: ByteString): number {
  const digits = idField.slice('"id":"'.length, -1).replaceAll('-', '');
  return Number.parseInt(digits.slice(0, 12) + digits.slice(13, 14), 16);
}

/** The parts of a feature; texts are JSON. */
interface Parts {
  readonly layer: PhotonLayer;
  readonly value: string;
  readonly position: Position;
  readonly name: ByteString;
  readonly code?: ByteString | undefined;
  readonly id?: number;
  readonly names?: Names;
  /** West, south, east and north. */
  readonly extent?: readonly number[] | null;
}

function feature(snapshot: Snapshot, { entry, number }: Country, parts: Parts): Feature {
  const { layer, value, position, name, code, id, names = {}, extent } = parts;
  const { latitude, longitude } = position;
  const [west, south, east, north] = extent ?? [];
  // Photon's extents have north before south, and no way to cross the antimeridian.
  const box = west === undefined || west > (east as number) ? undefined : `[${west},${north},${east},${south}]`;
  const field = (key: string, json: ByteString | number | undefined): ByteString =>
    json === undefined ? '' : `,"${key}":${json}`;
  const properties =
    field('osm_id', id) +
    `,"osm_key":"${TAG_KEY}","osm_value":"${value}","type":"${layer}"${field('postcode', code)}` +
    `,"countrycode":"${entry.code}","name":${name}${field('country', snapshot.countryNamesJson[number])}` +
    field('city', names.city) +
    field('district', names.district === names.city ? undefined : names.district) +
    field('state', names.state) +
    field('county', names.county) +
    field('extent', box);
  const json = `{"type":"Feature","properties":{${properties.slice(1)}},"geometry":{"type":"Point","coordinates":[${longitude},${latitude}]}}`;
  const same = layer === 'city' ? [names.state, names.county] : code;
  const key = same === undefined ? undefined : [entry.code, same, name, value].join();
  return { layer, value, position, key, json };
}

/* The status of the server. */

export function renderPhotonStatus({ manifest: { sourceDate } }: Snapshot): ByteString {
  // Photon's date is an instant.
  return `{"status":"Ok","import_date":${sourceDate === null ? null : quoteJson(`${sourceDate}T00:00:00Z`)}}`;
}
