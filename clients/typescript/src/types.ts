/** The answers and parameters of the Postal Places API. Written by `npm run generate:openapi`: do not edit. */
import type { WithdrawnPostcode, InferredPostcode, ParameterFault } from './error-codes.js';

export interface Country {
  /** ISO 3166-1 alpha-2 code. */
  code: string;
  /** ISO 3166-1 alpha-3 code. */
  alpha3: string;
  /** English short name. */
  name: string;
  /** Slug of the country in website addresses. */
  slug: string;
  /** Continent: AF, AN, AS, EU, NA, OC or SA. */
  region: string;
  /** Sub-region, as UN M49 calls it. */
  subRegion: string | null;
  /** ISO 4217 code; empty for Antarctica. */
  currencyCode: string;
  /** IANA time zone of the capital, in area/city form. */
  timezone: string;
  /** Centre of the country in decimal degrees; null where it has none. */
  latitude: number | null;
  /** Centre of the country in decimal degrees; null where it has none. */
  longitude: number | null;
  /** Pattern of the postal codes: `#` is a digit, `@` a letter, any other character itself; null where unknown. */
  postalCodeFormat: string | null;
  /** Whether the country has postcode data. */
  hasPostcodes: boolean;
  /** Page on the website that the snapshot was built for; link to it where you show the data. */
  url: string;
}

export interface LevelCount {
  /** Administrative level; 1 is the top. */
  level: number;
  /** Places of this level. */
  count: number;
}

export interface CountryStats {
  /** Places of all levels. */
  totalPlaces: number;
  /** Different postal codes. */
  distinctPostcodes: number;
  /** One entry for each level that has places, ascending. */
  levels: LevelCount[];
}

export interface CountryDetail extends Country {
  /** Only where the country has postcode data. */
  stats?: CountryStats;
}

export interface Place {
  /** Stays the same from release to release. */
  id: string;
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** Administrative level; 1 is the top. */
  level: number;
  /** Name in Latin letters. */
  name: string;
  /** Name in the local script. */
  localName: string;
  /** Kind of place: `region`, `district` and `municipality` are admin units, a `locality` is a place with a postal code, a `recipient` an organisation, post boxes or a delivery office with a code of its own. Recipients are answers to a position only where no locality is near, and no suggestions. Later versions may add kinds.. */
  type: 'region' | 'district' | 'municipality' | 'locality' | 'recipient' | (string & {});
  /** Slug of the place, the last segment of its path. */
  slug: string;
  /** Slugs of the ancestors and of the place, root first, each after a slash. */
  path: string;
  /** Postal code as the dataset writes it; null for an administrative unit. */
  postalCode: string | null;
  /** Decimal degrees, WGS 84. */
  latitude: number;
  /** Decimal degrees, WGS 84. */
  longitude: number;
  /** Id of the parent; null for level 1. */
  parentId: string | null;
  /** Page on the website that the snapshot was built for; link to it where you show the data. */
  url: string;
}

export interface PlacePage {
  items: Place[];
  /** Number of this page, from 1. */
  pageNumber: number;
  /** Places on a full page. */
  pageSize: number;
  /** Places on all pages. */
  totalCount: number;
  /** Pages of this size. */
  totalPages: number;
  hasPreviousPage: boolean;
  hasNextPage: boolean;
}

export interface PlaceCodes {
  /** ISO 3166-2 code; null where the unit has none. */
  iso3166_2: string | null;
  /** Code of the dataset; null where it has none. */
  release: string | null;
}

export interface City {
  /** Id of the place that is the city. */
  id: string;
  /** Name of the city. */
  name: string;
  /** Slugs of the ancestors and of the place, root first, each after a slash. */
  path: string;
  /** Page on the website that the snapshot was built for; link to it where you show the data. */
  url: string;
}

export interface PlaceDetail extends Place {
  /** Root first; empty for level 1. */
  ancestors: Place[];
  /** Direct children. */
  childCount: number;
  /** Codes of the first-level unit that the place is or lies in. */
  codes?: PlaceCodes;
  /** IANA time zone. */
  timezone?: string;
  /** People in the city that the place is, as GeoNames has them: each place of the name of the city has it; null for other places, and for units wider than the city. */
  population?: number | null;
  /** West, south, east and north in decimal degrees of the localities in a unit whose coordinates are sure; west is greater than east across the antimeridian (RFC 7946). Null for a place with a postal code, and for a unit without such localities. */
  bounds?: number[] | null;
  /** The city that the place belongs to, as on an envelope: a town is its own city, a district or an office belongs to the city around it; null for units wider than a city. */
  city?: City | null;
}

export interface PostcodePlaces {
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** The postal code that was found, as the dataset writes it. */
  postcode: string;
  places: PlaceDetail[];
}

export interface SuggestionContext {
  /** Administrative level; 1 is the top. */
  level: number;
  /** Name in Latin letters. */
  name: string;
  /** ISO 3166-2 code of a first-level unit; null where there is none. */
  iso3166_2: string | null;
}

export interface Suggestion {
  /** What is suggested: `place` unless `kinds` asks for more; later versions may add kinds. */
  kind: 'place' | 'postcode' | 'country' | (string & {});
  /** Name in Latin letters; of a postal code the code. */
  name: string;
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** English short name of the country. */
  countryName: string;
  /** Postal code as the dataset writes it; null for an administrative unit. */
  postalCode: string | null;
  /** Path of the page after the slug of the country: of a place its `path`; of a country `/`. */
  path: string;
  /** Page on the website that the snapshot was built for; link to it where you show the data. */
  url: string;
  /** Only of a postal code: name of its main place. */
  placeName?: string;
  /** Only of a postal code: places that have it. */
  placeCount?: number;
  /** Only of a place: its id. */
  id?: string;
  /** Administrative level; 1 is the top. */
  level?: number;
  /** Only of a place: its type. */
  type?: 'region' | 'district' | 'municipality' | 'locality' | 'recipient' | (string & {});
  /** Only of a place: name in the local script. */
  localName?: string;
  /** Latitude of the place, of the main place of a code, or of the centre of a country. */
  latitude?: number | null;
  /** Longitude of the same point. */
  longitude?: number | null;
  /** Only of a place: people in the city that the place is; null for other places. */
  population?: number | null;
  /** Only of a place: the units that it lies in, root first. */
  context?: SuggestionContext[];
  /** Text to show: the name, the city if it has another name, what tells it from other suggestions, the country. */
  label?: string;
  /** City of the place, or of the main place of a code; null where there is none. */
  city?: City | null;
}

export interface NearestPlace {
  place: PlaceDetail;
  /** Distance from the point in kilometres; 0 for a place at the point. */
  distanceKm: number;
}

export interface NearbyPlace {
  place: PlaceDetail;
  /** Distance from the centre in kilometres, rounded to metres. */
  distanceKm: number;
}

export interface NearbyPostcode {
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** Postal code as the dataset writes it. */
  postcode: string;
  /** Latitude of the place of the code that is nearest to the centre. */
  latitude: number;
  /** Longitude of this place. */
  longitude: number;
  /** Distance from the centre in kilometres, rounded to metres. */
  distanceKm: number;
}

export interface DistanceSide {
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** Postal code as the dataset writes it; null for a place. */
  postcode: string | null;
  /** Id of the place; null for a postal code. */
  id: string | null;
  /** Name of the place; null for a postal code. */
  name: string | null;
  /** Latitude of the place, or the mean of the places of the code. */
  latitude: number;
  /** Longitude of the place, or the mean of the places of the code. */
  longitude: number;
}

export interface Distance {
  from: DistanceSide;
  to: DistanceSide;
  /** Great-circle distance in kilometres, rounded to metres. */
  distanceKm: number;
}

export interface PlacePostcode {
  /** Postal code as the dataset writes it. */
  postcode: string;
  /** Latitude of one of its places here, one with sure coordinates if there is any. */
  latitude: number;
  /** Longitude of the same place. */
  longitude: number;
  /** Places here that have the code. */
  placeCount: number;
}

export interface PlacePostcodePage {
  items: PlacePostcode[];
  /** Number of this page, from 1. */
  pageNumber: number;
  /** Codes on a full page. */
  pageSize: number;
  /** Codes on all pages. */
  totalCount: number;
  /** Pages of this size. */
  totalPages: number;
  hasPreviousPage: boolean;
  hasNextPage: boolean;
}

export interface PostcodeCheck {
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** The postal code as it was sent. */
  asked: string;
  /** The code that was found, as the dataset writes it; null if none was found. */
  postcode: string | null;
  /** How the code was found. `exact`: as it was sent. `normalised`: in another spelling. `partial`: the dataset has only the first part of the code, or only a part of the code was sent. `inferred`: the dataset lacks the code, and the block of codes around it belongs to one town. `withdrawn`: an earlier release has it. `none`: the dataset does not have it. */
  match: 'exact' | 'normalised' | 'partial' | 'inferred' | 'withdrawn' | 'none' | (string & {});
  /** Whether what was sent, apart from case, spaces and hyphens, fits `format` or is a code of the dataset; true of first parts too where the dataset has only these. */
  hasKnownFormat: boolean;
  /** `postalCodeFormat` of the country; null where unknown. */
  format: string | null;
  /** A code of the country. */
  example: string;
  /** Only of a code that is not found, or only in part, and that an earlier release has. */
  withdrawn?: WithdrawnPostcode;
  /** Only where `match` is `inferred`: the town of the block. */
  inferred?: InferredPostcode;
}

export interface AddressConflict {
  /** For programs. `postcode_elsewhere`: the code of the address is not one of its town. `country_without_data`: the address is in a country without postcode data. `town_better_known_elsewhere`: the town is best known in such a country. Later versions may add reasons. */
  reason: 'postcode_elsewhere' | 'country_without_data' | 'town_better_known_elsewhere' | (string & {});
  /** For people; its wording may change. */
  message: string;
  /** The country of the town, or the one without data. */
  countryCode: string;
}

export interface AddressMatch {
  /** The address as it was sent, without surrounding white space. */
  address: string;
  /** How the place was found. `exact`: the address has the code of the place. `normalised`: in another spelling. `partial`: the dataset has only the first part of the code, or the place was found by its town, without a code. `inferred`: the dataset lacks the code, which is in the block of this town. `none`: the address leads to no place. */
  match: 'exact' | 'normalised' | 'partial' | 'inferred' | 'none' | (string & {});
  /** ISO 3166-1 alpha-2 code of the place; null where none is found. */
  countryCode: string | null;
  /** The code that was found, as the dataset writes it; null where the place was found by its town, or none is. */
  postcode: string | null;
  /** Of several places of a code, the one that the address names, or else the main one. Of a town without a code, the place that stands for it, whatever its code. Null where none is found. */
  place: PlaceDetail | null;
  /** The city that the place belongs to, as on an envelope; the place itself where it is in no city. */
  city: City | null;
  /** Why the address leads to no place although it names a town or a country; null where it does not. */
  conflict: AddressConflict | null;
}

export interface PlaceChange {
  /** Release that the change came with. */
  release: string;
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** What happened. `added`, `removed`: the place is new, or gone. `moved`: it has another path or parent. `renamed`: it has another name. A place that was moved and renamed has an entry for each. `fullCodeAdded`, `fullCodeRemoved`: the full code `postalCode` is new, or gone. `fullCodeMoved`: it is over 1 km from its old position, or of another place. */
  change: 'added' | 'removed' | 'moved' | 'renamed' | 'fullCodeAdded' | 'fullCodeRemoved' | 'fullCodeMoved' | (string & {});
  /** Id of the place. Of a removed place this and the fields below are as they were; of a full code, the id of the place that has it, or had it if it is removed. */
  id: string;
  /** Slugs of the ancestors and of the place, root first, each after a slash. */
  path: string;
  /** Name in Latin letters. */
  name: string;
  /** Name in the local script. */
  localName: string;
  /** Kind of place, as `type` of a place. */
  type: string;
  /** Postal code as the dataset writes it; null for an administrative unit. */
  postalCode: string | null;
  /** Id before, if a renamed place had another; of a moved full code, the id of the place that had it. */
  oldId?: string;
  /** Path before. A moved place has it always, also if only its parent is another; a renamed place, and the place of a moved full code, if the path was another. */
  oldPath?: string;
  /** Name before; every renamed place has it. */
  oldName?: string;
  /** Local name before, if a renamed place had another. */
  oldLocalName?: string;
  /** Kilometres from the old position of a moved full code. */
  movedKm?: number;
}

export interface ChangePage {
  /** The release that was asked for. */
  since: string;
  /** The release that is served. */
  release: string;
  /** Countries with so many changes that `items` has none of them, or whose full codes are new or gone as a whole; read these countries again as a whole. */
  countriesNotListed: string[];
  items: PlaceChange[];
  /** Number of this page, from 1. */
  pageNumber: number;
  /** Changes on a full page. */
  pageSize: number;
  /** Changes on all pages. */
  totalCount: number;
  /** Pages of this size. */
  totalPages: number;
  hasPreviousPage: boolean;
  hasNextPage: boolean;
}

export interface LookupByPostcode {
  /** ISO 3166-1 alpha-2 code; if left out, that of the body. */
  country?: string;
  /** The postal code. */
  postcode: string;
  /** Fields to add to a place, separated by commas. */
  include?: string;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface LookupByPosition {
  /** The latitude. */
  lat: number;
  /** The longitude. */
  lng: number;
  /** ISO 3166-1 alpha-2 code, or `any`; if left out, that of the body. */
  country?: string;
  /** Fields to add to a place, separated by commas. */
  include?: string;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface LookupByPath {
  /** ISO 3166-1 alpha-2 code; if left out, that of the body. */
  country?: string;
  /** The path of a place. */
  path: string;
  /** Fields to add to a place, separated by commas. */
  include?: string;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface LookupById {
  /** ISO 3166-1 alpha-2 code; if left out, that of the body. */
  country?: string;
  /** The id of a place. */
  id: string;
  /** Fields to add to a place, separated by commas. */
  include?: string;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface LookupByAddress {
  /** ISO 3166-1 alpha-2 code; if left out, that of the body. */
  country?: string;
  /** The address, in one line or in several. */
  address: string;
  /** Fields to add to a place, separated by commas. */
  include?: string;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface LookupByName {
  /** The start of a name, or an address line. */
  q: string;
  /** ISO 3166-1 alpha-2 code; if left out, that of the body. */
  country?: string;
  /** How many suggestions there may be. */
  limit?: number;
  /** `place` adds fields to each suggestion, such as id, position and label. */
  include?: string;
  /** What to suggest, separated by commas. */
  kinds?: string;
  /** The types of places to suggest, separated by commas. */
  types?: string;
  /** The latitude of a point, near which places come first; needs `lng`. */
  lat?: number;
  /** The longitude of this point; needs `lat`. */
  lng?: number;
  /** The languages of names, separated by commas; if left out, those of the body. */
  lang?: string;
}

export interface BulkError {
  /** For people; its wording may change. */
  message: string;
  /** For programs. */
  code: 'VALIDATION_FAILED' | 'COUNTRY_NOT_FOUND' | 'NO_POSTCODE_DATA' | 'PLACE_NOT_FOUND' | 'POSTCODE_NOT_FOUND' | 'NO_NEARBY_PLACE' | 'INTERNAL_ERROR' | (string & {});
  /** Of `VALIDATION_FAILED`: the faulty parameters in the order of the endpoint, then unknown parameters that were probably meant for it. Of `COUNTRY_NOT_FOUND`, and of `POSTCODE_NOT_FOUND` of `findPostcode`: the code that was probably meant, if there is one. Of `POSTCODE_NOT_FOUND` of `findPostcode` and `findPostcodes`: with `withdrawn`, the code that an earlier release has; with `inferred`, the town whose block of codes has the one that the dataset lacks. */
  details?: ParameterFault[];
}

export interface BulkEntry {
  /** The status that a request for this lookup alone would have. */
  statusCode: number;
  /** The `data` that a request for this lookup alone would have; only where `statusCode` is 200. */
  data?: PostcodePlaces | NearestPlace | PlaceDetail | AddressMatch | Suggestion[];
  /** Only where `statusCode` is not 200. */
  error?: BulkError;
}

export interface ReleaseCountry {
  /** ISO 3166-1 alpha-2 code. */
  code: string;
  /** Places of all levels. */
  totalPlaces: number;
  /** Different postal codes. */
  distinctPostcodes: number;
}

export interface SourceLicense {
  /** Name of the licence. */
  name: string;
  /** SPDX identifier of the licence. */
  identifier: string;
  /** Text of the licence. */
  url: string;
}

export interface Source {
  /** Name of the source. */
  name: string;
  /** Web page of the source. */
  url: string;
  license: SourceLicense;
  /** What to show where the data are shown. */
  attribution: string;
  /** The countries whose full postal codes are from it; empty for the source of all other data. */
  fullCodesOf: string[];
}

export interface Release {
  /** Name of the release, as the header x-dataset-release has it. */
  name: string;
  /** Date of the newest file of the release; null where unknown. */
  sourceDate: string | null;
  /** Name of the release before; null where the snapshot does not know it. */
  previousRelease: string | null;
  /** Places of all countries. */
  totalPlaces: number;
  /** Postal codes of all countries; a code of two countries counts twice. */
  distinctPostcodes: number;
  /** The countries with postcode data, ascending by code. */
  countries: ReleaseCountry[];
  /** Version of the format of the snapshot. */
  formatVersion: number;
  /** Version of the rules by which names are compared. */
  foldingVersion: number;
  /** Version of the builder of the snapshot; null where the snapshot does not know it. */
  builderVersion: string | null;
  /** Whom to credit, only where that is not GeoNames alone; the source of all other data comes first. */
  sources?: Source[];
}

export interface ListCountriesParameters {
  /** Whether countries without postcode data are left out: true or false. */
  hasPostcodes?: boolean;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface GetCountryParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ListPlacesParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The administrative level; all levels if left out: an integer from 1 to 4. */
  level?: number;
  /** The number of the page (a page past the last is empty): an integer of 1 or more; 1 if left out. */
  page?: number;
  /** How many places a page has: an integer from 1 to 100; 50 if left out. */
  pageSize?: number;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface GetPlaceParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits. */
  id: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ListChildrenParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits. */
  id: string;
  /** The number of the page (a page past the last is empty): an integer of 1 or more; 1 if left out. */
  page?: number;
  /** How many places a page has: an integer from 1 to 100; 50 if left out. */
  pageSize?: number;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ResolvePathParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The path of a page, without the slug of its country: a path of 1 to 4 segments that starts with "/", at most 1000 characters. */
  path: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface FindPostcodeParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The postal code: a postcode of 1 to 20 characters. */
  postcode: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface AutocompleteParameters {
  /** The start of a name, with a letter or digit in it: text of 2 to 100 characters. */
  q: string;
  /** The country to suggest places of: a two-letter ISO 3166-1 alpha-2 country code, or up to 10 separated by commas. */
  country?: string;
  /** How many suggestions there may be: an integer from 1 to 25; 10 if left out. */
  limit?: number;
  /** Fields to add to each suggestion, such as id, position and label: place. */
  include?: 'place' | readonly ('place')[];
  /** What to suggest; places if left out: one or more of place, postcode, country, separated by commas. */
  kinds?: 'place' | 'postcode' | 'country' | readonly ('place' | 'postcode' | 'country')[];
  /** The types of places to suggest; all if left out: one or more of region, district, municipality, locality, recipient, separated by commas. */
  types?: 'region' | 'district' | 'municipality' | 'locality' | 'recipient' | readonly ('region' | 'district' | 'municipality' | 'locality' | 'recipient')[];
  /** The latitude of a point, near which places come first; needs lng: a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters). */
  lat?: number;
  /** The longitude of this point; needs lat: a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32 characters). */
  lng?: number;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ReverseParameters {
  /** The latitude: a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters). */
  lat: number;
  /** The longitude: a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32 characters). */
  lng: number;
  /** The country to search; the country that contains the point if left out: a two-letter ISO 3166-1 alpha-2 country code, or "any". */
  country?: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface NearbyParameters {
  /** The latitude of the centre: a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters). */
  lat?: number;
  /** The longitude of the centre: a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32 characters). */
  lng?: number;
  /** The country of the postcode or place that is the centre: a two-letter ISO 3166-1 alpha-2 country code. */
  country?: string;
  /** The postal code that is the centre: a postcode of 1 to 20 characters. */
  postcode?: string;
  /** The place that is the centre: a place id in UUID form, 8-4-4-4-12 hexadecimal digits. */
  place?: string;
  /** The radius in kilometres: a decimal number from 0 to 200, such as 12.34 (no exponent, at most 32 characters); 25 if left out. */
  radiusKm?: number;
  /** How many entries there may be: an integer from 1 to 100; 10 if left out. */
  limit?: number;
  /** The countries to search; all if left out: 1 to 10 two-letter ISO 3166-1 alpha-2 country codes, separated by commas. */
  countries?: string;
  /** The types of places to list; localities if left out: one or more of locality, recipient, separated by commas. */
  types?: 'locality' | 'recipient' | readonly ('locality' | 'recipient')[];
  /** What to list; places if left out: place or postcode. */
  by?: 'place' | 'postcode';
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface DistanceParameters {
  /** The start: a country code, a colon, and a postcode or a place id, such as US:90210. */
  from: string;
  /** The end: a country code, a colon, and a postcode or a place id, such as US:90210. */
  to: string;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ListPostcodesParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits. */
  id: string;
  /** Whether codes that only recipients have are listed too: true or false. */
  recipients?: boolean;
  /** Whether full codes are listed, where the country has them, instead of their first parts: true or false. */
  full?: boolean;
  /** The number of the page (a page past the last is empty): an integer of 1 or more; 1 if left out. */
  page?: number;
  /** How many codes a page has: an integer from 1 to 100; 50 if left out. */
  pageSize?: number;
}

export interface CheckPostcodeParameters {
  /** The country: a two-letter ISO 3166-1 alpha-2 country code. */
  country: string;
  /** The postal code: a postcode of 1 to 20 characters. */
  postcode: string;
}

export interface FindPostcodesParameters {
  /** The postal code: a postcode of 1 to 20 characters. */
  postcode: string;
  /** The countries to search; all if left out: 1 to 10 two-letter ISO 3166-1 alpha-2 country codes, separated by commas. */
  country?: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface MatchParameters {
  /** The address, in one line or in several separated by line breaks: an address of 2 to 500 characters. */
  address: string;
  /** The country of the address: a two-letter ISO 3166-1 alpha-2 country code. */
  country?: string;
  /** Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by commas. */
  include?: 'codes' | 'timezone' | 'population' | 'bounds' | 'city' | readonly ('codes' | 'timezone' | 'population' | 'bounds' | 'city')[];
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface ListChangesParameters {
  /** The release that you have: the name of a release: 1 to 64 letters, digits, dots, hyphens and underscores. */
  since: string;
  /** The country of the changes; all countries if left out: a two-letter ISO 3166-1 alpha-2 country code. */
  country?: string;
  /** The kinds of changes; all changes of places if left out: one or more of added, removed, moved, renamed, fullCodeAdded, fullCodeRemoved, fullCodeMoved, separated by commas. */
  change?: 'added' | 'removed' | 'moved' | 'renamed' | 'fullCodeAdded' | 'fullCodeRemoved' | 'fullCodeMoved' | readonly ('added' | 'removed' | 'moved' | 'renamed' | 'fullCodeAdded' | 'fullCodeRemoved' | 'fullCodeMoved')[];
  /** The number of the page (a page past the last is empty): an integer of 1 or more; 1 if left out. */
  page?: number;
  /** How many changes a page has: an integer from 1 to 100; 50 if left out. */
  pageSize?: number;
  /** The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters. */
  lang?: string;
}

export interface BulkParameters {
  /** The lookups, each with the parameters of its own request. */
  lookups: (LookupByPostcode | LookupByPosition | LookupByPath | LookupById | LookupByAddress | LookupByName)[];
  /** The country of every lookup without a `country` of its own. */
  country?: string;
  /** The languages of names for every lookup without a `lang` of its own. */
  lang?: string;
}
