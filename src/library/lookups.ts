/**
 * The lookups of the library, one method for each endpoint of the API. The same methods give objects (`Places`) or the
 * JSON text that the server would send as `data` (`places.json`). A method returns undefined where the API answers 404,
 * and throws InvalidArgumentError where the API answers 400, and for an option that looks misspelt.
 */

import { EventEmitter } from 'node:events';
import type {
  AutocompleteParameters,
  ChangePage,
  Country,
  CountryDetail,
  Distance,
  FindPostcodeParameters,
  FindPostcodesParameters,
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
import { statusOfCode } from '../api/description/error-codes.js';
import { bindLookup, type LookUp, type Lookup } from '../api/description/lookup.js';
import { createMisspeltFinder, type Parameter } from '../api/description/params.js';
import { routeOf } from '../api/description/routes.js';
import { oncePer } from '../base/once-per.js';
import { decodeUtf8 } from '../core/snapshot/byte-string.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { describeRelease } from '../core/use-cases/changes.js';
import { DomainError, type ParameterFault } from '../core/use-cases/domain-error.js';
import { readResponseData } from '../core/use-cases/response-data.js';
import { ANY_COUNTRY } from '../core/use-cases/reverse.js';
import { type Service, service } from '../core/use-cases/service.js';
import type { OpenError } from './errors.js';
import { InvalidArgumentError } from './errors.js';

/** One value, several separated by commas, or a list. */
export type OneOrSeveral = string | readonly string[];

/** The parameters of an endpoint without those that are arguments of the method; `Lists` may have several values. */
type Options<Parameters, Given extends keyof Parameters = never, Lists extends keyof Parameters = never> = {
  readonly [Name in keyof Parameters as Exclude<Name, Given>]?:
    | (Name extends Lists ? OneOrSeveral : Parameters[Name])
    | undefined;
};

export type CountriesOptions = Options<ListCountriesParameters>;
export type PostcodeOptions = Options<FindPostcodeParameters, 'country' | 'postcode', 'include'>;
export type PostcodesOptions = Options<FindPostcodesParameters, 'postcode', 'country' | 'include'>;
export type PlaceOptions = Options<GetPlaceParameters, 'country' | 'id', 'include'>;
export type ChildrenOptions = Options<ListChildrenParameters, 'country' | 'id'>;
export type ChangesOptions = Options<ListChangesParameters, 'since', 'change'>;
export type PlacesOptions = Options<ListPlacesParameters, 'country'>;
export type PostcodesOfOptions = Options<ListPostcodesParameters, 'country' | 'id'>;
export type SuggestOptions = Options<AutocompleteParameters, 'q', 'country' | 'types' | 'kinds' | 'include'>;
export type ReverseOptions = Options<ReverseParameters, 'lat' | 'lng', 'include'>;
type CentreParameter = 'lat' | 'lng' | 'country' | 'postcode' | 'place';
export type NearbyOptions = Options<NearbyParameters, CentreParameter, 'countries' | 'types' | 'include'>;

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
  country(country: string): Answer<AsText, CountryDetail> | undefined {
    return this.#find<CountryDetail>('getCountry', { country });
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
  distance(from: string, to: string): Answer<AsText, Distance> | undefined {
    return this.#find<Distance>('distance', { from, to });
  }

  /** The release of the snapshot in use, as `GET /v1/release` describes it. */
  get release(): Answer<AsText, Release> {
    return this.#find<Release>('getRelease', {}) as Answer<AsText, Release>;
  }

  #find<Data>(operation: string, parameters: Readonly<Record<string, unknown>>): Answer<AsText, Data> | undefined {
    return this.#ask(operation, parameters) as Answer<AsText, Data> | undefined;
  }
}

/*
 * Faults of arguments that a URL cannot have, or that the API ignores: URLs get parameters of other programs, and
 * everything in them is text, while the arguments of a lookup are all of one caller.
 */

export interface ArgumentCheck {
  /** Texts that are no text: true, NaN. A number may stand for a code. */
  listNoTexts(parameters: Lookup): readonly ParameterFault[];
  /** Options that look like a known one. */
  listMisspelt(parameters: Lookup): readonly ParameterFault[];
}

const NONE: readonly ParameterFault[] = [];

/** @internal */
export function createArgumentCheck(known: readonly Parameter<unknown>[]): ArgumentCheck {
  const names = new Set(known.map(({ name }) => name));
  const texts = known.filter(({ schema }) => schema.type === 'string').map(({ name }) => name);
  const findMisspelt = createMisspeltFinder(known.filter(({ source }) => source === 'query').map(({ name }) => name));
  return {
    listNoTexts(parameters) {
      const wrong = texts.filter((name) => Object.hasOwn(parameters, name) && isNoText(parameters[name]));
      return wrong.map((param) => ({ param, message: `${param} must be a text`, expected: 'a text' }));
    },
    listMisspelt(parameters) {
      const unknown = Object.keys(parameters).filter((name) => !names.has(name) && parameters[name] != null);
      // Names with other characters are no misspelling.
      return unknown.length === 0 ? NONE : findMisspelt(unknown.filter((name) => /^[\w.-]+$/.test(name)).join('&'));
    },
  };
}

function isNoText(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isFinite(value));
}

/*
 * A lookup of the library, answered by the table of routes: the text of the answer's `data`. Routes are bound when their
 * first lookup comes.
 */

const lookUps = new Map<string, LookUp>();

const argumentChecks = new Map<string, ArgumentCheck>();

const releaseText = oncePer((snapshot: Snapshot) => decodeUtf8(describeRelease(snapshot)));

/** Undefined for what does not exist: the API's 404. Throws InvalidArgumentError, also for a misspelt option alone. @internal */
export function findText(snapshot: Snapshot, operation: string, parameters: Lookup): string | undefined {
  if (operation === 'getRelease') return releaseText(snapshot);
  const { listNoTexts, listMisspelt } = argumentCheckOf(operation);
  refuse(listNoTexts(parameters));
  let text: string | undefined;
  try {
    text = getText(snapshot, operation, parameters);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] !== 404) throw new InvalidArgumentError(error.message, error.details ?? []);
  }
  refuse(listMisspelt(parameters));
  return text;
}

function argumentCheckOf(operation: string): ArgumentCheck {
  let check = argumentChecks.get(operation);
  if (check === undefined) {
    check = createArgumentCheck(routeOf(operation as keyof Service).parameters);
    argumentChecks.set(operation, check);
  }
  return check;
}

function refuse(faults: readonly ParameterFault[]): void {
  if (faults[0] !== undefined) throw new InvalidArgumentError(faults[0].message, faults);
}

/** The same; throws DomainError, whose message says what does not exist. @internal */
export function getText(snapshot: Snapshot, operation: string, parameters: Lookup): string {
  if (operation === 'getRelease') return releaseText(snapshot);
  let lookUp = lookUps.get(operation);
  if (lookUp === undefined) {
    lookUp = bindLookup(operation as keyof Service, service);
    lookUps.set(operation, lookUp);
  }
  return readResponseData(lookUp(snapshot, joinLists(parameters)));
}

/** A list of texts is one text with commas, as a URL has it. Anything else stays as it is, to be refused. */
function joinLists(parameters: Lookup): Lookup {
  let joined: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) continue;
    joined ??= { ...parameters };
    joined[name] = value.join();
  }
  return joined ?? parameters;
}

/* An opened snapshot: the lookups, the events of a watched one, and its end. */

/** A snapshot as `Places` use it. */
export interface PlacesSource {
  /** The JSON text of an answer; undefined for what does not exist. Throws InvalidArgumentError, ClosedError. */
  readonly findText: (operation: string, parameters: Readonly<Record<string, unknown>>) => string | undefined;
  /** Ends the watch and lets the memory go. */
  close(): Promise<void>;
}

/** The listeners of events. */
export interface PlacesEvents {
  /** Another snapshot is in use. */
  release: (release: Release) => void;
  /** A new snapshot was refused, or the one in use is damaged; the one in use stays in use. */
  error: (error: OpenError) => void;
}

export class Places extends Lookups<false> {
  /** The same lookups, which return the exact JSON text that the server sends as `data`. */
  readonly json: Lookups<true>;
  readonly #source: PlacesSource;
  readonly #events = new EventEmitter();
  #closing: Promise<void> | undefined;

  /** @internal Use `open`. */
  constructor(source: PlacesSource) {
    super((operation, parameters) => {
      const text = source.findText(operation, parameters);
      return text === undefined ? undefined : JSON.parse(text);
    });
    this.json = new Lookups<true>(source.findText);
    this.#source = source;
  }

  /** Adds a listener; events come only from a snapshot that is watched. An error without a listener is a warning. */
  on<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this {
    this.#events.on(event, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this {
    this.#events.off(event, listener);
    return this;
  }

  /**
   * Ends the use of the snapshot: every later lookup throws ClosedError. Resolves when the watch has ended; there is no
   * need to wait for it.
   */
  close(): Promise<void> {
    this.#closing ??= this.#source.close();
    return this.#closing;
  }

  /** @internal Tells listeners of another release. */
  tellRelease(): void {
    // A listener's own error must not look like a fault of the snapshot.
    process.nextTick(() => {
      if (this.#closing === undefined && this.#events.listenerCount('release') > 0) {
        this.#events.emit('release', this.release);
      }
    });
  }

  /** @internal */
  tellError(error: OpenError): void {
    process.nextTick(() => {
      if (this.#closing !== undefined) return;
      if (this.#events.listenerCount('error') > 0) this.#events.emit('error', error);
      else process.emitWarning(error.message, { type: error.name, code: error.code });
    });
  }
}
