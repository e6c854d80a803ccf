/**
 * The lookups of the library, one method for each endpoint of the API, and one for what a header of it tells. The same
 * methods give objects (`Places`) or the JSON text that the server would send as `data` (`places.json`); both give GeoJSON
 * and CSV too. A method returns undefined where the API answers 404, and throws InvalidArgumentError where the API answers
 * 400, and for an option that looks misspelt.
 */

import type {
  AutocompleteParameters,
  ChangePage,
  Country,
  CountryDetail,
  Distance,
  DistanceParameters,
  FindPostcodeParameters,
  FindPostcodesParameters,
  GetCountryParameters,
  GetPlaceParameters,
  ListChangesParameters,
  ListChildrenParameters,
  ListCountriesParameters,
  ListPlacesParameters,
  ListPostcodesParameters,
  NearbyParameters,
  NearbyPlace,
  NearbyPostcode,
  NearestPlace,
  PlaceDetail,
  PlacePage,
  PlacePostcodePage,
  PostcodeCheck,
  PostcodePlaces,
  Release,
  ReverseParameters,
  Suggestion,
} from '../../clients/typescript/src/types.js';
import { ANY_COUNTRY } from '../core/lookup/reverse.js';

/** One value, several separated by commas, or a list. */
export type OneOrSeveral = string | readonly string[];

/** The parameters of an endpoint without those that are arguments of the method; `Lists` may have several values. */
type Options<Parameters, Given extends keyof Parameters = never, Lists extends keyof Parameters = never> = {
  readonly [Name in keyof Parameters as Exclude<Name, Given>]?:
    | (Name extends Lists ? OneOrSeveral : Parameters[Name])
    | undefined;
};

export type CountriesOptions = Options<ListCountriesParameters, never, 'lang'>;
export type CountryOptions = Options<GetCountryParameters, 'country', 'lang'>;
export type PostcodeOptions = Options<FindPostcodeParameters, 'country' | 'postcode', 'include' | 'lang'>;
export type PostcodesOptions = Options<FindPostcodesParameters, 'postcode', 'country' | 'include' | 'lang'>;
export type PlaceOptions = Options<GetPlaceParameters, 'country' | 'id', 'include' | 'lang'>;
export type ChildrenOptions = Options<ListChildrenParameters, 'country' | 'id', 'lang'>;
export type ChangesOptions = Options<ListChangesParameters, 'since', 'change' | 'lang'>;
export type PlacesOptions = Options<ListPlacesParameters, 'country', 'lang'>;
export type DistanceOptions = Options<DistanceParameters, 'from' | 'to', 'lang'>;
export type PostcodesOfOptions = Options<ListPostcodesParameters, 'country' | 'id'>;
export type SuggestOptions = Options<AutocompleteParameters, 'q', 'country' | 'types' | 'kinds' | 'include' | 'lang'>;
export type ReverseOptions = Options<ReverseParameters, 'lat' | 'lng', 'include' | 'lang'>;
type CentreParameter = 'lat' | 'lng' | 'country' | 'postcode' | 'place';
export type NearbyOptions = Options<NearbyParameters, CentreParameter, 'countries' | 'types' | 'include' | 'lang'>;

/** The centre of `nearby`: a position, a postal code or a place. */
export type Centre =
  | { readonly lat: number; readonly lng: number }
  | { readonly country: string; readonly postcode: string }
  | { readonly country: string; readonly place: string };

/** The result of a lookup: the text, or the object. */
export type Answer<AsText extends boolean, Data> = AsText extends true ? string : Data;

/** The formats of lookups with a list; those of one place have no CSV. JSON is that of a lookup that names none. */
export type Format = 'json' | 'geojson' | 'csv';

/** A place, a code or a country as GeoJSON (RFC 7946). */
export interface Feature<Properties> {
  type: 'Feature';
  /** Of a place. */
  id?: string;
  /** Longitude and latitude; null where there is no position. */
  geometry: { type: 'Point'; coordinates: [number, number] } | null;
  properties: Properties;
}

export interface FeatureCollection<Properties> {
  type: 'FeatureCollection';
  features: Feature<Properties>[];
}

/** An option of lookups that have formats. */
interface InFormat<Chosen extends Format> {
  readonly format?: Chosen | undefined;
}

/** A list in a format: CSV is text, and a collection has what stands beside the list. */
type ListIn<Chosen extends Format, Data, Entry, Beside = unknown> = Chosen extends 'csv'
  ? string
  : Chosen extends 'geojson'
    ? FeatureCollection<Entry> & Beside
    : Data;

type PageIn<Chosen extends Format, Page extends { items: unknown[] }> = ListIn<
  Chosen,
  Page,
  Page['items'][number],
  Omit<Page, 'items'>
>;

type PlaceFormat = Exclude<Format, 'csv'>;
type PlaceIn<Chosen extends PlaceFormat, Data, Entry = Data> = Chosen extends 'geojson' ? Feature<Entry> : Data;

/** What is near as one object: a place has its distance among its fields. */
type PlaceWithDistance = PlaceDetail & { distanceKm: number };

/** Answers the operation of the API with these parameters. The caller states the type of the answer. */
export type Ask = (operation: string, parameters: Readonly<Record<string, unknown>>) => unknown;

export class Lookups<AsText extends boolean> {
  readonly #ask: Ask;

  /** @internal */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** All countries, ascending by code. */
  countries<Chosen extends Format = 'json'>(
    options: CountriesOptions & InFormat<Chosen> = {},
  ): Answer<AsText, ListIn<Chosen, Country[], Country>> {
    return this.#find('listCountries', { ...options });
  }

  /** One country, with counts of its places and postal codes where it has postcode data. */
  country(country: string, options: CountryOptions = {}): Answer<AsText, CountryDetail> | undefined {
    return this.#find('getCountry', { ...options, country });
  }

  /** The places of a postal code, at most 100. Case, spaces and hyphens make no difference. */
  postcode<Chosen extends Format = 'json'>(
    country: string,
    postcode: string,
    options: PostcodeOptions & InFormat<Chosen> = {},
  ): Answer<AsText, ListIn<Chosen, PostcodePlaces, PlaceDetail, Omit<PostcodePlaces, 'places'>>> | undefined {
    return this.#find('findPostcode', {
      ...options,
      country,
      postcode,
    });
  }

  /** The places of a postal code in each country that has it, at most 20, the likeliest country first. */
  postcodes<Chosen extends Format = 'json'>(
    postcode: string,
    options: PostcodesOptions & InFormat<Chosen> = {},
  ): Answer<AsText, ListIn<Chosen, PostcodePlaces[], PlaceDetail>> | undefined {
    return this.#find('findPostcodes', { ...options, postcode });
  }

  /** Whether a country has a postal code that somebody typed, and the format of its codes. */
  check(country: string, postcode: string): Answer<AsText, PostcodeCheck> | undefined {
    return this.#find('checkPostcode', { country, postcode });
  }

  /** One place with its ancestors. */
  place<Chosen extends PlaceFormat = 'json'>(
    country: string,
    id: string,
    options: PlaceOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PlaceIn<Chosen, PlaceDetail>> | undefined {
    return this.#find('getPlace', { ...options, country, id });
  }

  /** A page of the places directly below a place, ordered by name then id. */
  children<Chosen extends Format = 'json'>(
    country: string,
    id: string,
    options: ChildrenOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PageIn<Chosen, PlacePage>> | undefined {
    return this.#find('listChildren', { ...options, country, id });
  }

  /** A page of the places of a country, ordered by name then id. */
  places<Chosen extends Format = 'json'>(
    country: string,
    options: PlacesOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PageIn<Chosen, PlacePage>> | undefined {
    return this.#find('listPlaces', { ...options, country });
  }

  /** The place of a path, such as `/berlin/berlin-stadt`. */
  resolve<Chosen extends PlaceFormat = 'json'>(
    country: string,
    path: string,
    options: PlaceOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PlaceIn<Chosen, PlaceDetail>> | undefined {
    return this.#find('resolvePath', { ...options, country, path });
  }

  /** A page of the postal codes of a place, each once, in natural order. */
  postcodesOf<Chosen extends Format = 'json'>(
    country: string,
    id: string,
    options: PostcodesOfOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PageIn<Chosen, PlacePostcodePage>> | undefined {
    return this.#find('listPostcodes', { ...options, country, id });
  }

  /** A page of the places that changed since a release, oldest first; undefined if no list of changes starts there. */
  changes(since: string, options: ChangesOptions = {}): Answer<AsText, ChangePage> | undefined {
    return this.#find('listChanges', { ...options, since });
  }

  /** Places for the start of a name, or for an address line, the best first. Other formats than JSON include `place`. */
  suggest<Chosen extends Format = 'json'>(
    q: string,
    options: SuggestOptions & InFormat<Chosen> = {},
  ): Answer<AsText, ListIn<Chosen, Suggestion[], Suggestion>> | undefined {
    return this.#find('autocomplete', { ...options, q });
  }

  /**
   * The country without data that a whole text is a name of, or the name of a city of, with 100,000 people or more
   * ("Tokyo", "東京", "Japan"): mostly why `suggest` finds nothing. Undefined for any other text.
   */
  countryWithoutData(q: string, options: CountryOptions = {}): Answer<AsText, CountryDetail> | undefined {
    return this.#find('countryWithoutData', { ...options, q });
  }

  /** The nearest place within 80 km of a point, of all countries unless `country` names one. */
  reverse<Chosen extends PlaceFormat = 'json'>(
    lat: number,
    lng: number,
    options: ReverseOptions & InFormat<Chosen> = {},
  ): Answer<AsText, PlaceIn<Chosen, NearestPlace, PlaceWithDistance>> | undefined {
    const country = options.country ?? ANY_COUNTRY;
    return this.#find('reverse', { ...options, lat, lng, country });
  }

  /** The postal codes around a centre, nearest first. */
  nearby<Chosen extends Format = 'json'>(
    centre: Centre,
    options: NearbyOptions & InFormat<Chosen> & { readonly by: 'postcode' },
  ): Answer<AsText, ListIn<Chosen, NearbyPostcode[], NearbyPostcode>> | undefined;
  /** The places around a centre, nearest first, across borders. */
  nearby<Chosen extends Format = 'json'>(
    centre: Centre,
    options?: NearbyOptions & InFormat<Chosen> & { readonly by?: 'place' | undefined },
  ): Answer<AsText, ListIn<Chosen, NearbyPlace[], PlaceWithDistance>> | undefined;
  nearby(centre: Centre, options: NearbyOptions & InFormat<Format> = {}): unknown {
    return this.#find('nearby', { ...options, ...centre });
  }

  /**
   * The great-circle distance between two postal codes or places: a country code, a colon, and the code or the id of the
   * place, such as `US:90210`.
   */
  distance(from: string, to: string, options: DistanceOptions = {}): Answer<AsText, Distance> | undefined {
    return this.#find('distance', { ...options, from, to });
  }

  /** The release of the snapshot in use, as `GET /v1/release` describes it. */
  get release(): Answer<AsText, Release> {
    return this.#find('getRelease', {});
  }

  /** The method states the type of the result. */
  #find<Result>(operation: string, parameters: Readonly<Record<string, unknown>>): Result {
    return this.#ask(operation, parameters) as Result;
  }
}
