/**
 * Probes a snapshot before it is served, with a few calls of every use case: for some countries from the top level down
 * to a leaf, and then the leaf by its id, path, postal code, name and position. The probe takes a few milliseconds and
 * brings the first pages into memory.
 */
import { ExpectedError } from '../expected-error.js';
import { foldText } from '../format/fold-text.js';
import { LEVEL_COUNT } from '../format/place-levels.js';
import { normalizePostcode } from '../format/postcode.js';
import type { PlaceResource } from '../format/rendered-places.js';
import { MAX_POSTCODE_PLACES } from '../service/find-postcode.js';
import { MAX_FOUND_COUNTRIES } from '../service/find-postcodes.js';
import { INCLUDED_FIELDS } from '../service/place-detail.js';
import { type ResponseData, readResponseData } from '../service/response-data.js';
import { REVERSE_RADIUS_KM } from '../service/reverse.js';
import type { Service } from '../service/service.js';
import { runCooperatively, type Steps } from '../store/cooperative.js';
import type { Snapshot } from '../store/snapshot.js';

/** The probed countries, as shares of the list of all that have places: the first, the middle and the last. */
const PROBED_COUNTRIES = [0, 0.5, 1];
/** Maximum number of places of a level that are tried until one has children or a postal code. */
const LISTED = 50;
/** Radius in kilometres in which a place's own position has a place nearby. */
const SAME_PLACE_KM = 0.01;

type Detail = PlaceResource & { readonly childCount: number };
interface Page {
  readonly items: readonly PlaceResource[];
}

/** Rejects with ExpectedError if an answer is missing or wrong. Requests are answered meanwhile. */
export function probeSnapshot(snapshot: Snapshot, service: Service): Promise<void> {
  return runCooperatively(probeInSteps(snapshot, service));
}

function* probeInSteps(snapshot: Snapshot, service: Service): Steps<void> {
  let question = 'countries';
  const ask = <T>(name: keyof Service, input: object, where: string): T => {
    question = `${name} of ${where}`;
    const useCase = service[name] as (snapshot: Snapshot, input: object) => ResponseData;
    return JSON.parse(readResponseData(useCase(snapshot, input))) as T;
  };
  const expect = (isRight: boolean): void => {
    if (!isRight) throw new Error('the answer is wrong');
  };

  /** The first place of a page that has children or a postal code: a city of the gazetteer has neither. */
  const choose = (country: string, { items }: Page): Detail => {
    for (const { id } of items) {
      const place = ask<Detail>('getPlace', { country, id }, country);
      if (place.childCount > 0 || place.postalCode !== null) return place;
    }
    return ask<Detail>('getPlace', { country, id: items[0]?.id }, country);
  };

  function* probeCountry(country: string): Steps<void> {
    expect(ask<{ code: string }>('getCountry', { country }, country).code === country);
    const list = { country, page: 1, pageSize: LISTED };
    let place = choose(country, ask<Page>('listPlaces', { ...list, level: 1 }, country));
    for (let level = 1; place.childCount > 0 && level < LEVEL_COUNT; level++) {
      place = choose(country, ask<Page>('listChildren', { ...list, id: place.id }, place.path));
      yield;
    }
    const { id, path, name, latitude: lat, longitude: lng } = place;
    expect(ask<Detail>('resolvePath', { country, segments: path.slice(1).split('/') }, path).id === id);
    const facts = ask<object>('getPlace', { country, id, include: INCLUDED_FIELDS }, path);
    expect(INCLUDED_FIELDS.every((field) => field in facts));
    if (place.postalCode === null) return;
    const postcode = normalizePostcode(place.postalCode);
    const { places } = ask<{ places: Detail[] }>('findPostcode', { country, postcode }, path);
    // Where more places have the code than are shown, the probed place may be left out.
    expect(places.length === MAX_POSTCODE_PLACES || places.some((found) => found.id === id));
    yield;
    expect(ask<{ match: string }>('checkPostcode', { country, postcode }, path).match === 'exact');
    const everywhere = ask<{ countryCode: string }[]>('findPostcodes', { postcode, country: undefined }, path);
    expect(everywhere.length === MAX_FOUND_COUNTRIES || everywhere.some(({ countryCode }) => countryCode === country));
    yield;
    const ofCity = { country, id, recipients: true, page: 1, pageSize: 1 };
    expect(ask<{ items: object[] }>('listPostcodes', ofCity, path).items.length === 1);
    yield;
    // A name of punctuation only can't be asked for.
    const query = foldText(name) === '' ? 'a' : name;
    const suggestions = ask<object[]>('autocomplete', { query, country, limit: 1 }, path);
    expect(suggestions.length === 1 || query !== name);
    // A place with coarse coordinates is not the nearest to them; it is among what is nearby.
    expect(ask<{ distanceKm: number }>('reverse', { lat, lng, country }, path).distanceKm <= REVERSE_RADIUS_KM);
    const around = { lat, lng, country: undefined, postcode: undefined, place: undefined, countries: [country] };
    const ofPoint = { ...around, radiusKm: SAME_PLACE_KM, limit: 1, types: ['locality', 'recipient'], by: 'place' };
    expect(ask<object[]>('nearby', ofPoint, path).length === 1);
    expect(
      ask<{ distanceKm: number }>('distance', { from: { country, id }, to: { country, id } }, path).distanceKm === 0,
    );
  }

  try {
    ask('listCountries', { hasPostcodes: undefined }, 'the world');
    const ofRelease = { since: snapshot.release, country: undefined, change: undefined, page: 1, pageSize: 1 };
    expect(ask<{ items: object[] }>('listChanges', ofRelease, snapshot.release).items.length === 0);
    yield;
    const codes = snapshot.countries
      .filter(({ structures }) => structures !== undefined)
      .map(({ entry }) => entry.code);
    const probed = PROBED_COUNTRIES.map((share) => codes[Math.round(share * (codes.length - 1))] ?? '');
    for (const country of new Set(probed)) yield* probeCountry(country);
  } catch (error) {
    throw new ExpectedError(`${question}: ${(error as Error).message}`, { cause: error });
  }
}
