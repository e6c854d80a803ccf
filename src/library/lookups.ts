/**
 * The lookups of the library, one method for each endpoint of the API, and one for what a header of it tells. The same
 * methods give objects (`Places`) or the JSON text that the server would send as `data` (`places.json`); both give GeoJSON
 * and CSV too. A method returns undefined where the API answers 404, and throws InvalidArgumentError where the API answers
 * 400, and for an option that looks misspelt.
 */

import type * as Api from '../../clients/typescript/src/types.js';

/** One value, several separated by commas, or a list. */
export type OneOrSeveral = string | readonly string[];

/** The parameters of an endpoint without those that are arguments of the method; `Lists` of texts may have several values. */
type Options<Parameters, Given extends keyof Parameters = never, Lists extends keyof Parameters = never> = {
  readonly [Name in keyof Parameters as Exclude<Name, Given>]?:
    | (Name extends Lists ? OneOrSeveral : Parameters[Name])
    | undefined;
};

export type CountriesOptions = Options<Api.ListCountriesParameters, never, 'lang'>;
export type CountryOptions = Options<Api.GetCountryParameters, 'country', 'lang'>;
export type PostcodeOptions = Options<Api.FindPostcodeParameters, 'country' | 'postcode', 'lang'>;
export type PostcodesOptions = Options<Api.FindPostcodesParameters, 'postcode', 'country' | 'lang'>;
export type PlaceOptions = Options<Api.GetPlaceParameters, 'country' | 'id', 'lang'>;
export type ChildrenOptions = Options<Api.ListChildrenParameters, 'country' | 'id', 'lang'>;
export type ChangesOptions = Options<Api.ListChangesParameters, 'since', 'lang'>;
export type PlacesOptions = Options<Api.ListPlacesParameters, 'country', 'lang'>;
export type DistanceOptions = Options<Api.DistanceParameters, 'from' | 'to', 'lang'>;
export type PostcodesOfOptions = Options<Api.ListPostcodesParameters, 'country' | 'id'>;
export type MatchOptions = Options<Api.MatchParameters, 'address', 'lang'>;
export type SuggestOptions = Options<Api.AutocompleteParameters, 'q', 'country' | 'lang'>;
export type ReverseOptions = Options<Api.ReverseParameters, 'lat' | 'lng', 'lang'>;
type CentreParameter = 'lat' | 'lng' | 'country' | 'postcode' | 'place';
export type NearbyOptions = Options<Api.NearbyParameters, CentreParameter, 'countries' | 'lang'>;

/** The centre of `nearby`: a position, a postal code or a place. */
export type Centre =
  | { readonly lat: number; readonly lng: number }
  | { readonly country: string; readonly postcode: string }
  | { readonly country: string; readonly place: string };

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

/* A lookup has its result in each format. A collection has what stands beside the list, and CSV is text. */

interface InJson<Data> {
  json: Data;
}

interface InPlaceFormats<Data, Entry = Data> extends InJson<Data> {
  geojson: Feature<Entry>;
}

interface InListFormats<Data, Entry, Beside = unknown> extends InJson<Data> {
  geojson: FeatureCollection<Entry> & Beside;
  csv: string;
}

type InPageFormats<Page extends { items: unknown[] }> = InListFormats<Page, Page['items'][number], Omit<Page, 'items'>>;

/** What is near as one object: a place has its distance among its fields. */
type PlaceWithDistance = Api.PlaceDetail & { distanceKm: number };

/** The match of an address as one object: beside the match, the fields of its place, unless none is found. */
type PlaceWithMatch = Partial<Api.PlaceDetail> & Omit<Api.AddressMatch, 'place'>;

interface InFormat<Chosen> {
  readonly format?: Chosen | undefined;
}

/** The result of a lookup: the text, or the object. */
type Answer<AsText extends boolean, Data> = AsText extends true ? string : Data;

/** A lookup by its arguments, its options, its results, and its result for what does not exist. */
interface Lookup<Given extends readonly unknown[], Options, Results extends InJson<unknown>, Absent = undefined> {
  given: Given;
  options: Options;
  results: Results;
  absent: Absent;
}

/** The method of a lookup. One without formats takes no `format`. */
type Method<AsText extends boolean, Of> =
  Of extends Lookup<infer Given, infer Options, infer Results, infer Absent>
    ? <Chosen extends keyof Results = 'json'>(
        ...args: [...Given, options?: keyof Results extends 'json' ? Options : Options & InFormat<Chosen>]
      ) => Answer<AsText, Results[Chosen]> | Absent
    : never;

interface LookupTable {
  /** All countries, ascending by code. */
  countries: Lookup<[], CountriesOptions, InListFormats<Api.Country[], Api.Country>, never>;
  /** One country, with counts of its places and postal codes where it has postcode data. */
  country: Lookup<[country: string], CountryOptions, InJson<Api.CountryDetail>>;
  /** The places of a postal code, at most 100. Case, spaces and hyphens make no difference. */
  postcode: Lookup<
    [country: string, postcode: string],
    PostcodeOptions,
    InListFormats<Api.PostcodePlaces, Api.PlaceDetail, Omit<Api.PostcodePlaces, 'places'>>
  >;
  /** The places of a postal code in each country that has it, at most 20, the likeliest country first. */
  postcodes: Lookup<[postcode: string], PostcodesOptions, InListFormats<Api.PostcodePlaces[], Api.PlaceDetail>>;
  /** Whether a country has a postal code that somebody typed, and the format of its codes. */
  check: Lookup<[country: string, postcode: string], undefined, InJson<Api.PostcodeCheck>>;
  /** One place with its ancestors. */
  place: Lookup<[country: string, id: string], PlaceOptions, InPlaceFormats<Api.PlaceDetail>>;
  /** A page of the places directly below a place, ordered by name then id. */
  children: Lookup<[country: string, id: string], ChildrenOptions, InPageFormats<Api.PlacePage>>;
  /** A page of the places of a country, ordered by name then id. */
  places: Lookup<[country: string], PlacesOptions, InPageFormats<Api.PlacePage>>;
  /** The place of a path, such as `/berlin/berlin-stadt`. */
  resolve: Lookup<[country: string, path: string], PlaceOptions, InPlaceFormats<Api.PlaceDetail>>;
  /** A page of the postal codes of a place, each once, in natural order. */
  postcodesOf: Lookup<[country: string, id: string], PostcodesOfOptions, InPageFormats<Api.PlacePostcodePage>>;
  /** A page of the places that changed since a release, oldest first; undefined if no list of changes starts there. */
  changes: Lookup<[since: string], ChangesOptions, InJson<Api.ChangePage>>;
  /** Places for the start of a name, or for an address line, the best first. Other formats than JSON include `place`. */
  suggest: Lookup<[q: string], SuggestOptions, InListFormats<Api.Suggestion[], Api.Suggestion>>;
  /**
   * The country without data that a whole text is a name of, or the name of a city of, with 100,000 people or more, the
   * largest of that name ("Tokyo", "東京", "Japan"): why `suggest` finds nothing, or a smaller city. Undefined for any other
   * text.
   */
  countryWithoutData: Lookup<[q: string], CountryOptions, InJson<Api.CountryDetail>>;
  /**
   * The place that an address of one or several lines leads to, as tables are enriched with it. An address that leads to
   * none has the match `none`.
   */
  match: Lookup<[address: string], MatchOptions, InPlaceFormats<Api.AddressMatch, PlaceWithMatch>>;
  /** The nearest place within 80 km of a point, in the country that contains it unless `country` names one, or `any`. */
  reverse: Lookup<[lat: number, lng: number], ReverseOptions, InPlaceFormats<Api.NearestPlace, PlaceWithDistance>>;
  /**
   * The great-circle distance between two postal codes or places: a country code, a colon, and the code or the id of the
   * place, such as `US:90210`.
   */
  distance: Lookup<[from: string, to: string], DistanceOptions, InJson<Api.Distance>>;
}

type Methods<AsText extends boolean> = { readonly [Name in keyof LookupTable]: Method<AsText, LookupTable[Name]> };

export interface Lookups<AsText extends boolean> extends Methods<AsText> {
  /** The postal codes around a centre, nearest first. */
  nearby<Chosen extends Format = 'json'>(
    centre: Centre,
    options: NearbyOptions & InFormat<Chosen> & { readonly by: 'postcode' },
  ): Answer<AsText, InListFormats<Api.NearbyPostcode[], Api.NearbyPostcode>[Chosen]> | undefined;
  /** The places around a centre, nearest first, across borders. */
  nearby<Chosen extends Format = 'json'>(
    centre: Centre,
    options?: NearbyOptions & InFormat<Chosen> & { readonly by?: 'place' | undefined },
  ): Answer<AsText, InListFormats<Api.NearbyPlace[], PlaceWithDistance>[Chosen]> | undefined;
  /** The release of the snapshot in use, as `GET /v1/release` describes it. */
  readonly release: Answer<AsText, Api.Release>;
}

/** The operation of each method, and the names of its arguments. */
const OPERATIONS: Readonly<Record<keyof LookupTable, readonly [operation: string, ...given: string[]]>> = {
  countries: ['listCountries'],
  country: ['getCountry', 'country'],
  postcode: ['findPostcode', 'country', 'postcode'],
  postcodes: ['findPostcodes', 'postcode'],
  check: ['checkPostcode', 'country', 'postcode'],
  place: ['getPlace', 'country', 'id'],
  children: ['listChildren', 'country', 'id'],
  places: ['listPlaces', 'country'],
  resolve: ['resolvePath', 'country', 'path'],
  postcodesOf: ['listPostcodes', 'country', 'id'],
  changes: ['listChanges', 'since'],
  suggest: ['autocomplete', 'q'],
  countryWithoutData: ['countryWithoutData', 'q'],
  match: ['match', 'address'],
  reverse: ['reverse', 'lat', 'lng'],
  distance: ['distance', 'from', 'to'],
};

/** @internal `ask` answers an operation of the API with these parameters. */
export function createLookups<AsText extends boolean>(
  ask: (operation: string, parameters: Readonly<Record<string, unknown>>) => unknown,
): Lookups<AsText> {
  const methods = Object.entries(OPERATIONS).map(([method, [operation, ...given]]) => {
    const look = (...args: readonly unknown[]): unknown => {
      const parameters: Record<string, unknown> = { ...(args[given.length] as object | undefined) };
      for (const [at, name] of given.entries()) parameters[name] = args[at];
      return ask(operation, parameters);
    };
    return [method, look];
  });
  return {
    ...(Object.fromEntries(methods) as Methods<AsText>),
    nearby: (centre: Centre, options?: NearbyOptions) => ask('nearby', { ...options, ...centre }) as never,
    get release() {
      return ask('getRelease', {}) as Answer<AsText, Api.Release>;
    },
  };
}
