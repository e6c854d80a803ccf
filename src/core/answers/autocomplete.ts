/**
 * Endpoint 8: suggestions of places for the start of a name, on request also of postal codes and countries, in one list
 * of JSON objects: the contract's fields, and on request what identifies a place and tells it from the others in the
 * list. A list with such details has no two suggestions that look the same: of those with the same name, code and label
 * the first is kept.
 */

import { oncePer } from '../../base/once-per.js';
import { findCountryWithData, structuresOf } from '../lookup/countries.js';
import { DomainError, type ParameterFault } from '../lookup/domain-error.js';
import { postcodePathIn } from '../lookup/postcode-path.js';
import { type ByteString, encodeUtf8, jsonByteString } from '../snapshot/byte-string.js';
import { cityNameJson } from '../snapshot/city-name.js';
import { cityOf } from '../snapshot/place-cities.js';
import { placeUnitCodesOf, populationOf } from '../snapshot/place-facts.js';
import { readPointField } from '../snapshot/place-fields.js';
import { listAncestors } from '../snapshot/place-tree.js';
import type { PlaceType } from '../snapshot/place-type.js';
import { placeFieldsJson, renderedShownName, suggestedPlaceJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Position } from '../snapshot/sphere.js';
import { cityOfCodeSuggestion } from '../suggest/code-suggestions.js';
import { isSearchable } from '../suggest/search-text.js';
import { listSuggestedItems, type SuggestedItem, type SuggestionKind } from '../suggest/suggested-items.js';
import type { SearchScope } from '../suggest/suggestion.js';
import { renderCityOf } from './place-detail.js';
import { type LabelledPlace, labelOf, labelPlaces } from './suggestion-labels.js';

/** Maximum number of countries of a query. */
export const MAX_SUGGESTION_COUNTRIES = 10;

/** What suggestions can include beside the contract's fields. */
export const SUGGESTION_PARTS = ['place'] as const;
type SuggestionPart = (typeof SUGGESTION_PARTS)[number];

export interface AutocompleteRequest {
  readonly query: string;
  /** A code, or up to ten; undefined for the whole world. */
  readonly country: string | readonly string[] | undefined;
  /** 1 to 25. */
  readonly limit: number;
  readonly include?: readonly SuggestionPart[] | undefined;
  /** That of the answer, for which others than JSON include `place`. */
  readonly format?: string | undefined;
  /** Undefined for places. */
  readonly kinds?: readonly SuggestionKind[] | undefined;
  /** Undefined for all types. */
  readonly types?: readonly PlaceType[] | undefined;
  /** A point whose surroundings are favoured; both numbers or neither. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
}

export function autocomplete(snapshot: Snapshot, request: AutocompleteRequest): ByteString {
  const faults = findAutocompleteFaults({ ...request });
  if (faults[0] !== undefined) throw new DomainError('VALIDATION_FAILED', faults[0].message, faults);
  const { query, limit, kinds = ['place'], format = 'json' } = request;
  // A feature needs a position, and a table has the same columns in any case.
  const include = request.include ?? (format === 'json' ? undefined : SUGGESTION_PARTS);
  const items = listSuggestedItems(snapshot, {
    query,
    kinds,
    scope: scopeOf(snapshot, { ...request, include }),
    limit,
  });
  return include?.includes('place') ? renderDetailedSuggestions(snapshot, items) : renderSuggestions(snapshot, items);
}

/** The faults of a query that has nothing to search for, or half of a point. */
export function findAutocompleteFaults({ query, lat, lng }: Readonly<Record<string, unknown>>): ParameterFault[] {
  const faults: ParameterFault[] = [];
  if (typeof query === 'string' && !isSearchable(query)) {
    const message = `q must have a letter or a digit; got ${JSON.stringify(query.slice(0, 100))}`;
    faults.push({ param: 'q', message, expected: 'text with a letter or a digit' });
  }
  if ((lat === undefined) !== (lng === undefined)) {
    const message = 'lat and lng must be given together, or neither of them';
    faults.push({ param: lat === undefined ? 'lat' : 'lng', message, expected: 'lat and lng, or neither' });
  }
  return faults;
}

function scopeOf(snapshot: Snapshot, { country, include, kinds, types, lat, lng }: AutocompleteRequest): SearchScope {
  const codes = typeof country === 'string' ? [country] : country;
  return {
    countries: codes?.map((code) => findCountryWithData(snapshot, code)),
    types,
    near: lat === undefined || lng === undefined ? undefined : { latitude: lat, longitude: lng },
    areRecipientsLast: include !== undefined || kinds !== undefined || types !== undefined,
  };
}

type PlaceItem = Extract<SuggestedItem, { kind: 'place' }>;
type CodeItem = Extract<SuggestedItem, { kind: 'postcode' }>;

/** The list, as JSON. */
function renderSuggestions(snapshot: Snapshot, items: readonly SuggestedItem[]): ByteString {
  let list = '';
  for (const item of items) {
    if (list !== '') list += ',';
    if (item.kind === 'place') list += renderPlace(snapshot, item);
    else list += `${item.kind === 'postcode' ? renderCode(snapshot, item) : renderCountry(snapshot, item.country)}}`;
  }
  return `[${list}]`;
}

/** The list with the details of each place, the position and label of codes and countries. */
function renderDetailedSuggestions(snapshot: Snapshot, items: readonly SuggestedItem[]): ByteString {
  const places = items.filter((item) => item.kind === 'place').map((item) => describePlace(snapshot, item));
  const labels = labelPlaces(places);
  const seen = new Set<string>();
  let list = '';
  let next = 0;
  for (const item of items) {
    const comma = list === '' ? '' : ',';
    if (item.kind === 'place') {
      const place = places[next] as DescribedPlace;
      const label = labels[next++] as ByteString;
      // A label has the name and the country.
      const look = `${place.postalCode} ${label}`;
      if (!seen.has(look)) list += `${comma}${place.json},"label":"${label}","city":${place.cityJson}}`;
      seen.add(look);
    } else if (item.kind === 'postcode') list += comma + renderCode(snapshot, item) + codeDetails(snapshot, item);
    else list += comma + renderCountry(snapshot, item.country) + countryDetails(snapshot, item.country);
  }
  return `[${list}]`;
}

function renderPlace(snapshot: Snapshot, { country, place, fullCode }: PlaceItem): ByteString {
  const { name, postalCode: ownCode, path, url } = placeFieldsJson(structuresOf(country).renderedPlaces, place);
  const countryName = snapshot.countryNamesJson[country.number];
  const postalCode = fullCode === undefined ? ownCode : jsonByteString(fullCode.postcode);
  return (
    `{"kind":"place","name":${name},"countryCode":"${country.entry.code}","countryName":${countryName}` +
    `,"postalCode":${postalCode},"path":${path},"url":${url}}`
  );
}

/** A unit around a place. */
interface Unit {
  /** Without quotes. */
  readonly name: ByteString;
  readonly json: ByteString;
}

interface DescribedPlace extends LabelledPlace {
  /** The object without its label, its city and its end. */
  readonly json: ByteString;
  readonly cityJson: ByteString;
}

/**
 * Maximum number of places that stay described, of 1 to 2 kB each: the cities that most queries are about. Describing a
 * place reads ten parts of the snapshot, which for a list of ten takes a fifth of the time of a query.
 */
const MAX_DESCRIBED = 2_000;

/** By country: a view of a snapshot in some languages has countries of its own. */
interface DescribedPlaces {
  readonly byCountry: Map<Country, Map<number, DescribedPlace>>;
  count: number;
}

const describedOf = oncePer(
  (_: Snapshot): DescribedPlaces => ({ byCountry: new Map(), count: 0 }),
  ({ worldNames }) => worldNames,
);

/** Describes a place, or finds its description. A full cache is emptied: the next queries fill it again. */
function describePlace(snapshot: Snapshot, item: PlaceItem): DescribedPlace {
  if (item.fullCode !== undefined) return renderDescription(snapshot, item);
  const described = describedOf(snapshot);
  const known = described.byCountry.get(item.country)?.get(item.place);
  if (known !== undefined) return known;
  if (described.count === MAX_DESCRIBED) {
    described.byCountry.clear();
    described.count = 0;
  }
  const place = renderDescription(snapshot, item);
  const ofCountry = described.byCountry.get(item.country) ?? new Map<number, DescribedPlace>();
  described.byCountry.set(item.country, ofCountry.set(item.place, place));
  described.count++;
  return place;
}

function renderDescription(snapshot: Snapshot, { country, place, fullCode }: PlaceItem): DescribedPlace {
  const structures = structuresOf(country);
  const { code } = country.entry;
  const countryName = snapshot.countryNamesJson[country.number] as ByteString;
  const { id, level, name, localNameAndType, path, url, ...own } = suggestedPlaceJson(structures.renderedPlaces, place);
  const { postalCode, point } =
    fullCode === undefined ? own : { postalCode: jsonByteString(fullCode.postcode), point: pointJson(fullCode) };
  const units = listAncestors(structures.tree, place).map((unit, at) => describeUnit(country, unit, at + 1));
  return {
    name: unquote(name),
    postalCode: postalCode === 'null' ? '' : unquote(postalCode),
    city: cityNameOf(structures, place),
    units: units.map((unit) => unit.name),
    country: unquote(countryName),
    json:
      `{"kind":"place","name":${name},"countryCode":"${code}","countryName":${countryName},"postalCode":${postalCode}` +
      `,"path":${path},"url":${url},${id},${level},${localNameAndType},${point}` +
      `,"population":${populationOf(structures, place)},"context":[${units.map(({ json }) => json).join(',')}]`,
    cityJson: renderCityOf(structures, place),
  };
}

function describeUnit(country: Country, unit: number, level: number): Unit {
  const structures = structuresOf(country);
  const name = renderedShownName(structures.renderedPlaces, unit);
  const iso = level === 1 ? placeUnitCodesOf(structures, unit).iso3166_2 : null;
  const json = `{"level":${level},"name":${name},"iso3166_2":${iso === null ? 'null' : `"${iso}"`}}`;
  return { name: unquote(name), json };
}

/** A code without its end. */
function renderCode({ manifest, countryNamesJson }: Snapshot, item: CodeItem): ByteString {
  const { country, postcode, mainPlace, places } = item;
  const { code, slug } = country.entry;
  const structures = structuresOf(country);
  const postcodeJson = encodeUtf8(JSON.stringify(postcode));
  const path = postcodePathIn(structures, postcode);
  const fields = encodeUtf8(
    `"path":${JSON.stringify(path)},"url":${JSON.stringify(`${manifest.siteUrl}/${slug}${path}`)}`,
  );
  const placeName = renderedShownName(structures.renderedPlaces, mainPlace);
  return (
    `{"kind":"postcode","name":${postcodeJson},"countryCode":"${code}","countryName":${countryNamesJson[country.number]}` +
    `,"postalCode":${postcodeJson},${fields},"placeName":${placeName},"placeCount":${places.length}`
  );
}

function pointJson({ latitude, longitude }: Position): ByteString {
  return `"latitude":${latitude},"longitude":${longitude}`;
}

function codeDetails({ countryNamesJson }: Snapshot, item: CodeItem): ByteString {
  const { country, postcode, mainPlace, fullCode } = item;
  const structures = structuresOf(country);
  const city = cityOfCodeSuggestion(item);
  const [code, name, countryName] = [
    encodeUtf8(JSON.stringify(postcode)),
    cityNameJson(structures, city),
    countryNamesJson[country.number] as ByteString,
  ].map(unquote) as [ByteString, ByteString, ByteString];
  const point = pointJson(fullCode ?? readPointField(structures, mainPlace));
  return `,${point},"label":"${labelOf(code, name, [], countryName)}","city":${renderCityOf(structures, city)}}`;
}

/** The name of the city of a place, without quotes; empty if there is none. */
function cityNameOf(structures: CountryStructures, place: number): ByteString {
  const city = cityOf(structures, place);
  if (city === place) return unquote(renderedShownName(structures.renderedPlaces, place));
  return city === undefined ? '' : unquote(cityNameJson(structures, city));
}

/** A country without its end. */
function renderCountry({ manifest, countryNamesJson }: Snapshot, { entry, number }: Country): ByteString {
  const name = countryNamesJson[number];
  const url = encodeUtf8(JSON.stringify(`${manifest.siteUrl}/${entry.slug}`));
  return (
    `{"kind":"country","name":${name},"countryCode":"${entry.code}","countryName":${name}` +
    `,"postalCode":null,"path":"/","url":${url}`
  );
}

function countryDetails({ countryNamesJson }: Snapshot, { entry: { centre }, number }: Country): ByteString {
  const position = `"latitude":${centre?.latitude ?? null},"longitude":${centre?.longitude ?? null}`;
  return `,${position},"label":${countryNamesJson[number]}}`;
}

function unquote(json: ByteString): ByteString {
  return json.slice(1, -1);
}
