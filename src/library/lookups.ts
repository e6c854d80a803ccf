/**
 * The lookups of the library, one method for each endpoint of the API. The same methods give objects (`Places`) or the
 * JSON text that the server would send as `data` (`places.json`). A method returns undefined where the API answers 404,
 * and throws InvalidArgumentError where the API answers 400, and for an option that looks misspelt.
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
import { ANY_COUNTRY } from '../core/use-cases/nearby.js';

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

/** The result of a lookup: JSON text, or the object. */
export type Answer<AsText extends boolean, Data> = AsText extends true ? string : Data;

/** Answers the operation of the API with these parameters. The caller states the type of the answer. */
export type Ask = (operation: string, parameters: Readonly<Record<string, unknown>>) => unknown;

export class Lookups<AsText extends boolean> {
  readonly #ask: Ask;

  /** @internal */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** All countries, ascending by code. */
  countries(options: CountriesOptions = {}): Answer<AsText, Country[]> {
    return this.#find<Country[]>('listCountries', { ...options }) as Answer<AsText, Country[]>;
  }

  /** One country, with counts of its places and postal codes where it has postcode data. */
  country(country: string, options: CountryOptions = {}): Answer<AsText, CountryDetail> | undefined {
    return this.#find<CountryDetail>('getCountry', { ...options, country });
  }

  /** The places of a postal code, at most 100. Case, spaces and hyphens make no difference. */
  postcode(
    country: string,
    postcode: string,
    options: PostcodeOptions = {},
  ): Answer<AsText, PostcodePlaces> | undefined {
    return this.#find<PostcodePlaces>('findPostcode', { ...options, country, postcode });
  }

  /** The places of a postal code in each country that has it, at most 20, the likeliest country first. */
  postcodes(postcode: string, options: PostcodesOptions = {}): Answer<AsText, PostcodePlaces[]> | undefined {
    return this.#find<PostcodePlaces[]>('findPostcodes', { ...options, postcode });
  }

  /** Whether a country has a postal code that somebody typed, and the format of its codes. */
  check(country: string, postcode: string): Answer<AsText, PostcodeCheck> | undefined {
    return this.#find<PostcodeCheck>('checkPostcode', { country, postcode });
  }

  /** One place with its ancestors. */
  place(country: string, id: string, options: PlaceOptions = {}): Answer<AsText, PlaceDetail> | undefined {
    return this.#find<PlaceDetail>('getPlace', { ...options, country, id });
  }

  /** A page of the places directly below a place, ordered by name then id. */
  children(country: string, id: string, options: ChildrenOptions = {}): Answer<AsText, PlacePage> | undefined {
    return this.#find<PlacePage>('listChildren', { ...options, country, id });
  }

  /** A page of the places of a country, ordered by name then id. */
  places(country: string, options: PlacesOptions = {}): Answer<AsText, PlacePage> | undefined {
    return this.#find<PlacePage>('listPlaces', { ...options, country });
  }

  /** The place of a path, such as `/berlin/berlin-stadt`. */
  resolve(country: string, path: string, options: PlaceOptions = {}): Answer<AsText, PlaceDetail> | undefined {
    return this.#find<PlaceDetail>('resolvePath', { ...options, country, path });
  }

  /** A page of the postal codes of a place, each once, in natural order. */
  postcodesOf(
    country: string,
    id: string,
    options: PostcodesOfOptions = {},
  ): Answer<AsText, PlacePostcodePage> | undefined {
    return this.#find<PlacePostcodePage>('listPostcodes', { ...options, country, id });
  }

  /** A page of the places that changed since a release, oldest first; undefined if no list of changes starts there. */
  changes(since: string, options: ChangesOptions = {}): Answer<AsText, ChangePage> | undefined {
    return this.#find<ChangePage>('listChanges', { ...options, since });
  }

  /** Places for the start of a name, or for an address line, the best first. */
  suggest(q: string, options: SuggestOptions = {}): Answer<AsText, Suggestion[]> | undefined {
    return this.#find<Suggestion[]>('autocomplete', { ...options, q });
  }

  /** The nearest place within 80 km of a point, of all countries unless `country` names one. */
  reverse(lat: number, lng: number, options: ReverseOptions = {}): Answer<AsText, NearestPlace> | undefined {
    const country = options.country ?? ANY_COUNTRY;
    return this.#find<NearestPlace>('reverse', { ...options, lat, lng, country });
  }

  /** The postal codes around a centre, nearest first. */
  nearby(
    centre: Centre,
    options: NearbyOptions & { readonly by: 'postcode' },
  ): Answer<AsText, NearbyPostcode[]> | undefined;
  /** The places around a centre, nearest first, across borders. */
  nearby(
    centre: Centre,
    options?: NearbyOptions & { readonly by?: 'place' | undefined },
  ): Answer<AsText, NearbyPlace[]> | undefined;
  nearby(centre: Centre, options: NearbyOptions = {}): Answer<AsText, (NearbyPlace | NearbyPostcode)[]> | undefined {
    return this.#find<(NearbyPlace | NearbyPostcode)[]>('nearby', { ...options, ...centre });
  }

  /**
   * The great-circle distance between two postal codes or places: a country code, a colon, and the code or the id of the
   * place, such as `US:90210`.
   */
  distance(from: string, to: string, options: DistanceOptions = {}): Answer<AsText, Distance> | undefined {
    return this.#find<Distance>('distance', { ...options, from, to });
  }

  /** The release of the snapshot in use, as `GET /v1/release` describes it. */
  get release(): Answer<AsText, Release> {
    return this.#find<Release>('getRelease', {}) as Answer<AsText, Release>;
  }

  #find<Data>(operation: string, parameters: Readonly<Record<string, unknown>>): Answer<AsText, Data> | undefined {
    return this.#ask(operation, parameters) as Answer<AsText, Data> | undefined;
  }
}
