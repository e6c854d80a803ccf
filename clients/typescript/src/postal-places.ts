/** The operations of the Postal Places API. Written by `npm run generate:openapi`: do not edit. */
import { type ClientOptions, iteratePages, type RequestOptions, Transport } from './transport.js';
import type {
  AddressMatch,
  AutocompleteParameters,
  BulkEntry,
  BulkParameters,
  ChangePage,
  CheckPostcodeParameters,
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
  MatchParameters,
  NearbyParameters,
  NearbyPlace,
  NearbyPostcode,
  NearestPlace,
  Place,
  PlaceChange,
  PlaceDetail,
  PlacePage,
  PlacePostcode,
  PlacePostcodePage,
  PostcodeCheck,
  PostcodePlaces,
  Release,
  ResolvePathParameters,
  ReverseParameters,
  Suggestion,
} from './types.js';

/** A client of the Postal Places API. One may serve a whole program. */
export class PostalPlaces {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * List countries. All countries, ascending by code.
   */
  listCountries(parameters: ListCountriesParameters = {}, options: RequestOptions = {}): Promise<Country[]> {
    const given = { hasPostcodes: parameters.hasPostcodes, lang: parameters.lang };
    return this.#transport.call('/v1/countries', given, options);
  }

  /**
   * Get a country. One country, with counts of its places and postal codes where it has postcode data.
   */
  getCountry(parameters: GetCountryParameters, options: RequestOptions = {}): Promise<CountryDetail> {
    const given = { country: parameters.country, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}', given, options);
  }

  /**
   * List places of a country. A page of the places of a country, ordered by name then id.
   */
  listPlaces(parameters: ListPlacesParameters, options: RequestOptions = {}): Promise<PlacePage> {
    const given = { country: parameters.country, level: parameters.level, page: parameters.page, pageSize: parameters.pageSize, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}/places', given, options);
  }

  /**
   * List places of a country, those of all pages from `page` on. A page is fetched when it is reached, and has 100
   * unless told otherwise.
   */
  iteratePlaces(parameters: ListPlacesParameters, options: RequestOptions = {}): AsyncGenerator<Place, void> {
    const whole = { pageSize: 100, ...parameters };
    return iteratePages(whole.page, (page) => this.listPlaces({ ...whole, page }, options));
  }

  /**
   * Get a place. One place with its ancestors. An id of another country is `PLACE_NOT_FOUND`.
   */
  getPlace(parameters: GetPlaceParameters, options: RequestOptions = {}): Promise<PlaceDetail> {
    const given = { country: parameters.country, id: parameters.id, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}/places/{id}', given, options);
  }

  /**
   * List children of a place. A page of the places directly below a place, ordered by name then id.
   */
  listChildren(parameters: ListChildrenParameters, options: RequestOptions = {}): Promise<PlacePage> {
    const given = { country: parameters.country, id: parameters.id, page: parameters.page, pageSize: parameters.pageSize, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}/places/{id}/children', given, options);
  }

  /**
   * List children of a place, those of all pages from `page` on. A page is fetched when it is reached, and has 100
   * unless told otherwise.
   */
  iterateChildren(parameters: ListChildrenParameters, options: RequestOptions = {}): AsyncGenerator<Place, void> {
    const whole = { pageSize: 100, ...parameters };
    return iteratePages(whole.page, (page) => this.listChildren({ ...whole, page }, options));
  }

  /**
   * Resolve the path of a page. The place of a page on the website. Segments are compared as slugs: `/Île-de-France` is
   * `/ile-de-france`. A path that a place had in the release before leads to it too, unless another place has it now.
   */
  resolvePath(parameters: ResolvePathParameters, options: RequestOptions = {}): Promise<PlaceDetail> {
    const given = { country: parameters.country, path: parameters.path, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}/resolve', given, options);
  }

  /**
   * Find the places of a postal code. At most 100 places, ordered by name then id. Case, spaces and hyphens make no
   * difference; `postcode` of the answer is the spelling of the dataset.
   */
  findPostcode(parameters: FindPostcodeParameters, options: RequestOptions = {}): Promise<PostcodePlaces> {
    const given = { country: parameters.country, postcode: parameters.postcode, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/countries/{country}/postcodes/{postcode}', given, options);
  }

  /**
   * Suggest places. Places for the start of a name, the best first. Case, accents and script make no difference. With
   * `kinds` also postal codes, each once for each country, and countries, by name and ISO code. With `include=place` no
   * two suggestions look the same. With `lat` and `lng`, of places that match equally well and are equally important
   * the nearest comes first: a near village never comes before a city. If `q` names a country without data, or a large
   * city there (`Tokyo`, `東京`), the header `x-country-without-data` has the code of that country. It counts as one
   * request of the rate, or as three if a text of more than 8 characters has a digit.
   */
  autocomplete(parameters: AutocompleteParameters, options: RequestOptions = {}): Promise<Suggestion[]> {
    const given = { q: parameters.q, country: parameters.country, limit: parameters.limit, include: parameters.include, kinds: parameters.kinds, types: parameters.types, lat: parameters.lat, lng: parameters.lng, lang: parameters.lang };
    return this.#transport.call('/v1/autocomplete', given, options);
  }

  /**
   * Find the nearest place. The nearest place within 80 km of a point. Without `country`, the API searches the country
   * that contains the point; at sea, the country with the nearest centre, then all countries. A point in a country
   * without data is `NO_POSTCODE_DATA`. `country=any` searches all countries.
   */
  reverse(parameters: ReverseParameters, options: RequestOptions = {}): Promise<NearestPlace> {
    const given = { lat: parameters.lat, lng: parameters.lng, country: parameters.country, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/reverse', given, options);
  }

  /**
   * List what is nearby. The places, or with `by=postcode` the postal codes, around a centre, nearest first, across
   * borders. The centre is `lat` and `lng`, or `country` with `postcode` or `place`. Of several localities at one
   * point, a list of places has the one with the lowest code, and a list of codes has all their codes. The distance of
   * a code is that of its nearest place. Where the country has full codes, such as `SW1A 1AA`, the list has these, each
   * with its own position. GeoJSON or CSV with a `limit` over 50 counts as two requests of the rate.
   */
  nearby(parameters: NearbyParameters = {}, options: RequestOptions = {}): Promise<(NearbyPlace | NearbyPostcode)[]> {
    const given = { lat: parameters.lat, lng: parameters.lng, country: parameters.country, postcode: parameters.postcode, place: parameters.place, radiusKm: parameters.radiusKm, limit: parameters.limit, countries: parameters.countries, types: parameters.types, by: parameters.by, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/nearby', given, options);
  }

  /**
   * Measure a distance. The great-circle distance between two postal codes or places, each of any country.
   */
  distance(parameters: DistanceParameters, options: RequestOptions = {}): Promise<Distance> {
    const given = { from: parameters.from, to: parameters.to, lang: parameters.lang };
    return this.#transport.call('/v1/distance', given, options);
  }

  /**
   * List postal codes of a place. A page of postal codes, each once, in natural order: `SW2` comes before `SW10`. A
   * unit has the codes of all places in it and of places of its name beside it; a place with a code has those of its
   * city. Codes that only recipients have are left out without `recipients=true`. With `full=true` the list has full
   * codes, such as `SW1A 1AA`, where the country has them. It counts as two requests of the rate.
   */
  listPostcodes(parameters: ListPostcodesParameters, options: RequestOptions = {}): Promise<PlacePostcodePage> {
    const given = { country: parameters.country, id: parameters.id, recipients: parameters.recipients, full: parameters.full, page: parameters.page, pageSize: parameters.pageSize };
    return this.#transport.call('/v1/countries/{country}/places/{id}/postcodes', given, options);
  }

  /**
   * List postal codes of a place, those of all pages from `page` on. A page is fetched when it is reached, and has 100
   * unless told otherwise.
   */
  iteratePostcodes(parameters: ListPostcodesParameters, options: RequestOptions = {}): AsyncGenerator<PlacePostcode, void> {
    const whole = { pageSize: 100, ...parameters };
    return iteratePages(whole.page, (page) => this.listPostcodes({ ...whole, page }, options));
  }

  /**
   * Check a postal code. Tells a form whether the country has a code that somebody typed, in which spelling, and in
   * which format its codes are. A code that is not found is no error here. `withdrawn` says of a code from an earlier
   * release which release came without it, and which place had it. `inferred` names the town whose block of codes has a
   * code that the dataset lacks.
   */
  checkPostcode(parameters: CheckPostcodeParameters, options: RequestOptions = {}): Promise<PostcodeCheck> {
    const given = { country: parameters.country, postcode: parameters.postcode };
    return this.#transport.call('/v1/countries/{country}/postcodes/{postcode}/check', given, options);
  }

  /**
   * Find a postal code in all countries. The places of a postal code, for at most 20 countries that have it: first
   * those that spell the code as it was sent, then those with other spaces or hyphens, then those that have a part of
   * it, or have it without the country before it. Of equal ones the country with more inhabitants comes first.  GeoJSON
   * or CSV counts as three requests of the rate.
   */
  findPostcodes(parameters: FindPostcodesParameters, options: RequestOptions = {}): Promise<PostcodePlaces[]> {
    const given = { postcode: parameters.postcode, country: parameters.country, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/postcodes/{postcode}', given, options);
  }

  /**
   * Match an address. The place that an address leads to: by the postal code in its last line if the rest of the line
   * fits it, or else by the town at its end, with its state and country. A country or a telephone number may follow on
   * lines below. Nothing is guessed: an address that leads to no place has the match `none`, and is no error. Lines of
   * over 100 characters are not read. It counts as one request of the rate, or as three for each line that has more
   * than 8 characters and a digit, of at most 4 lines at the end.
   */
  match(parameters: MatchParameters, options: RequestOptions = {}): Promise<AddressMatch> {
    const given = { address: parameters.address, country: parameters.country, include: parameters.include, lang: parameters.lang };
    return this.#transport.call('/v1/match', given, options);
  }

  /**
   * List what changed since a release. A page of the places that were added, removed, moved or renamed from the release
   * `since` to the one that is served: release by release, the oldest first, then by country, by kind of change and by
   * path. Full codes that were added, removed or moved are listed by code, if `change` asks for them. `since` may be
   * the served release: the list is empty then. Lists go back as far as the operator keeps them. A change of type or
   * coordinates alone is not listed. Fetch all pages while `release` stays the same; if it changes, begin again.
   */
  listChanges(parameters: ListChangesParameters, options: RequestOptions = {}): Promise<ChangePage> {
    const given = { since: parameters.since, country: parameters.country, change: parameters.change, page: parameters.page, pageSize: parameters.pageSize, lang: parameters.lang };
    return this.#transport.call('/v1/changes', given, options);
  }

  /**
   * List what changed since a release, those of all pages from `page` on. A page is fetched when it is reached, and has
   * 100 unless told otherwise.
   */
  iterateChanges(parameters: ListChangesParameters, options: RequestOptions = {}): AsyncGenerator<PlaceChange, void> {
    const whole = { pageSize: 100, ...parameters };
    return iteratePages(whole.page, (page) => this.listChanges({ ...whole, page }, options));
  }

  /**
   * Look up many things at once. 1 to 1,000 lookups, answered in their order: postal codes, positions, paths, ids,
   * addresses and names, each answered as a request of its own would be, with the same parameters. A lookup that fails
   * has an entry with its error, and the others are answered. Each lookup costs one request of the quota, and as many
   * of the rate as a request of its own would. All lookups are answered or none: if too few requests are left, the
   * answer is 429 and nothing counts; if the lookups need more of the rate than the plan allows at once, it is 400 and
   * nothing counts. The body has at most 262,144 bytes of JSON, not compressed. A body that is refused costs one
   * request. With Transfer-Encoding: chunked it has at most 64 chunks and one more for each 64 bytes; a body with more
   * is answered with 413 and counts nothing.
   */
  bulk(parameters: BulkParameters, options: RequestOptions = {}): Promise<BulkEntry[]> {
    const given = {};
    return this.#transport.call('/v1/bulk', given, options, { lookups: parameters.lookups, country: parameters.country, lang: parameters.lang });
  }

  /**
   * Name the release. Needs no key and costs no quota.
   */
  getRelease(options: RequestOptions = {}): Promise<Release> {
    const given = {};
    return this.#transport.call('/v1/release', given, options);
  }
}
