/**
 * Asks the API with a publishable key. Responses are kept for the page, in one cache that all elements share; one
 * request of an element is in flight at a time. A service that does not answer never holds anybody up: a request ends
 * after TIMEOUT_MS, and after a failure the element asks nothing for PAUSE_MS.
 */

import {
  type FoundCode,
  placeOf,
  readCheck,
  readCodes,
  readPage,
  readPlaces,
  readSuggestions,
  type SuggestedCode,
  type SuggestedPlace,
} from './api-answers.js';
import { NAMES_HAMLETS } from './found-cities.js';

/** Milliseconds after which a request is given up: by then the user has filled in the form by hand. */
const TIMEOUT_MS = 5_000;
/** Milliseconds without requests after a failure, so that a dead service costs one wait and not one for each letter. */
const PAUSE_MS = 15_000;
/** Codes of errors after which nothing more is asked about a country. */
const COUNTRY_ERRORS = /^NO_POSTCODE|^COUNTRY/;
/** Codes of errors about unknown codes and places; not ROUTE_NOT_FOUND, which comes from what is no API. */
const KNOWN_NOTHING = /^POSTCODE|^PLACE/;
/** Maximum number of characters of a query that the API takes. */
const MAX_QUERY = 100;
/** Maximum length of a response in bytes: three times the longest, 172 kB for the code with the most places. */
const MAX_BYTES = 500_000;
/** Maximum number of responses that a page keeps: far more than one address needs. */
const CACHE_SIZE = 100;
/** Number of suggestions of a list: as many fit on a phone above its keyboard. */
const SUGGESTION_COUNT = 7;
/** Maximum number of codes of a city that are offered: a longer list is typed into, not read. */
const CODE_COUNT = 50;

/** Types of places among which there are cities: Berlin is a `region`, Hamburg too. */
const ALL_TYPES_OF_CITIES = 'locality,municipality,district,region';

/** Data of responses by key and URL; undefined where the API has nothing. */
const cache = new Map<string, unknown>();
/** Countries without data, each behind the address of the API. */
const uncovered = new Set<string>();

export class PlacesClient {
  readonly #api: string;
  readonly #key: string;
  readonly #language: string | null;
  readonly #onAnswer: (hasAnswered: boolean) => void;
  /** Settles when the latest request has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #pausedUntilMs = 0;
  #hasComplained = false;

  /**
   * `api` is the address of the API, with `/v1` or without; without `key` there are no requests. `language` is the
   * language of names in responses, null or '' for that of the country. `onAnswer` is called with whether the API has
   * answered.
   */
  constructor(api: string, key: string, language: string | null, onAnswer: (hasAnswered: boolean) => void) {
    this.#api = api.replace(/\/*(v1\/*)?$/, '');
    this.#key = key;
    this.#language = language;
    this.#onAnswer = onAnswer;
  }

  async suggestCodes(country: string, q: string, signal: AbortSignal): Promise<readonly SuggestedCode[]> {
    return readCodes(await this.#suggest(country, q, { kinds: 'postcode' }, signal), SUGGESTION_COUNT);
  }

  /** Places of a type: a state. */
  async suggestUnits(
    country: string,
    q: string,
    types: string,
    signal: AbortSignal,
  ): Promise<readonly SuggestedPlace[]> {
    return readSuggestions(await this.#suggest(country, q, { types }, signal), SUGGESTION_COUNT);
  }

  /** Places that can be the city of an address: no counties, and no organisations with a code of their own. */
  async suggestCities(country: string, q: string, signal: AbortSignal): Promise<readonly SuggestedPlace[]> {
    const places = await this.suggestUnits(country, q, ALL_TYPES_OF_CITIES, signal);
    return places.filter(({ type, population }) => type === 'locality' || population !== null);
  }

  /** Undefined if the API has no postal codes of the country. */
  async findCode(country: string, code: string, signal: AbortSignal): Promise<FoundCode | undefined> {
    const path = `countries/${country}/postcodes/${encodeURIComponent(code)}`;
    const found = readPlaces(await this.#get(country, path, { include: 'codes,city,population' }, signal));
    if (found.postcode === code) return { match: 'exact', postcode: code, places: found.places };
    const checked = readCheck(await this.#get(country, `${path}/check`, {}, signal));
    if (checked === undefined) return undefined;
    const { match, postcode = code, inferred, isWithdrawn } = checked;
    const town = inferred?.city ?? inferred?.placeName;
    const towns = town === undefined ? [] : await this.suggestCities(country, code, signal);
    const codes =
      match === 'partial' && country === NAMES_HAMLETS ? await this.suggestCodes(country, postcode, signal) : [];
    return {
      ...{ match, postcode, isWithdrawn, town },
      places: [...found.places, ...towns.map(placeOf).filter(({ name, city = { name } }) => city.name === town)],
      city: codes.find(({ postalCode }) => postalCode === postcode)?.city,
    };
  }

  /** The codes of a city; none if it has more than CODE_COUNT, since nobody chooses from a part of them. */
  async listCodes(country: string, id: string): Promise<readonly string[]> {
    const path = `countries/${country}/places/${id}/postcodes`;
    return readPage(await this.#get(country, path, { pageSize: CODE_COUNT }), CODE_COUNT);
  }

  #suggest(country: string, q: string, filter: Record<string, string>, signal: AbortSignal): Promise<unknown> {
    const query = { q: q.slice(0, MAX_QUERY), country, ...filter, include: 'place', limit: SUGGESTION_COUNT };
    return this.#get(country, 'autocomplete', query, signal);
  }

  /** Undefined if the API has nothing. Rejects if the API can't be asked, or with the reason of `signal`. */
  async #get(
    country: string,
    path: string,
    query: Record<string, string | number>,
    signal = new AbortController().signal,
  ): Promise<unknown> {
    // The page has not set the country of the field.
    if (country === '' || uncovered.has(`${this.#api} ${country}`)) return undefined;
    // Requests whose responses have no names ignore the language.
    const lang = this.#language;
    const text = new URLSearchParams({ ...query, ...(lang && { lang }) } as Record<string, string>);
    const url = `${this.#api}/v1/${path}?${text}`;
    const known = this.#key + url;
    if (cache.has(known)) {
      this.#onAnswer(true);
      return cache.get(known);
    }
    const before = this.#last;
    let end!: () => void;
    this.#last = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      await before;
      signal.throwIfAborted();
      if (this.#key === '' || performance.now() < this.#pausedUntilMs) throw new Error('paused');
      const data = await this.#send(country, url, signal);
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(known, data);
      this.#onAnswer(true);
      return data;
    } catch (error) {
      // A form without a key has no suggestions, so none are missing.
      if (!signal.aborted && this.#key !== '') this.#onAnswer(false);
      throw error;
    } finally {
      end();
    }
  }

  async #send(country: string, url: string, signal: AbortSignal): Promise<unknown> {
    try {
      // In the URL the key needs no preflight, which would double the time of every request.
      const response = await fetch(`${url}&key=${encodeURIComponent(this.#key)}`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        credentials: 'omit',
        // A redirect could take the key elsewhere.
        redirect: 'error',
      });
      const { data, error } = JSON.parse(await readText(response));
      if (response.ok) return data;
      const hasNoData = COUNTRY_ERRORS.test(error?.code);
      if (hasNoData) uncovered.add(`${this.#api} ${country}`);
      // The error is about the typed text.
      if (hasNoData || response.status === 400 || KNOWN_NOTHING.test(error?.code)) return undefined;
      throw new Error(`${response.status} ${error?.code}: ${error?.message}`);
    } catch (error) {
      signal.throwIfAborted();
      this.#pausedUntilMs = performance.now() + PAUSE_MS;
      // For the author of the page, who would not see a wrong key or origin otherwise. Browsers hide the responses to
      // pages of other origins than the key's.
      const asked = error instanceof TypeError ? `; is the key for pages of ${origin}?` : '';
      if (!this.#hasComplained) console.warn(`postal-places: ${(error as Error).message}${asked}`);
      this.#hasComplained = true;
      throw error;
    }
  }
}

/**
 * The text of a response; of a longer one about the first MAX_BYTES, which are no valid JSON. TIMEOUT_MS then ends the
 * transfer, which stops since nobody reads on.
 */
async function readText({ body }: Response): Promise<string> {
  const reader = (body as NonNullable<typeof body>).getReader();
  const pieces = [];
  for (let left = MAX_BYTES; left > 0; ) {
    const { value } = await reader.read();
    if (!value) break;
    left -= value.length;
    pieces.push(value);
  }
  return new Blob(pieces).text();
}
