/**
 * Calls of every endpoint, with inputs that a sound snapshot contains and inputs that it doesn't contain. The rule for
 * a damaged snapshot: each call returns data of bounded length, or throws DomainError.
 */

import { MAX_NEARBY } from '../../src/core/answers/nearby.js';
import { INCLUDED_FIELDS } from '../../src/core/answers/place-detail.js';
import { MAX_FOUND_COUNTRIES, MAX_POSTCODE_PLACES } from '../../src/core/answers/postcodes.js';
import { bodyAround, byteLengthOf, type ResponseData } from '../../src/core/answers/response-data.js';
import { type Service, service } from '../../src/core/answers/service.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { LEVEL_COUNT } from '../../src/core/snapshot/place-tree.js';
import { MAX_CODE_BYTES } from '../../src/core/snapshot/postcode-index.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { MAX_RENDERED_BYTES, type PlaceResource, placeJson } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';

export interface Call {
  readonly name: keyof Service;
  readonly input: object;
}

const PAGE_SIZE = 100;
const LIMIT = 25;
const DETAIL_BYTES = LEVEL_COUNT * MAX_RENDERED_BYTES;
/** Maximum length in bytes of the JSON around the places of a response, and of the list of all countries. */
const ENVELOPE_BYTES = 200_000;

/** Maximum length of a code's JSON in bytes: each of its characters can need an escape of six. */
const CODE_BYTES = 6 * MAX_CODE_BYTES + 200;

/** Maximum length of each endpoint's data in bytes, whatever the damage. */
export const MOST_BYTES: Readonly<Record<keyof Service, number>> = {
  listCountries: ENVELOPE_BYTES,
  getCountry: ENVELOPE_BYTES,
  listPlaces: ENVELOPE_BYTES + PAGE_SIZE * MAX_RENDERED_BYTES,
  getPlace: ENVELOPE_BYTES + DETAIL_BYTES,
  listChildren: ENVELOPE_BYTES + PAGE_SIZE * MAX_RENDERED_BYTES,
  resolvePath: ENVELOPE_BYTES + DETAIL_BYTES,
  findPostcode: ENVELOPE_BYTES + MAX_POSTCODE_PLACES * DETAIL_BYTES,
  autocomplete: ENVELOPE_BYTES + LIMIT * 4 * MAX_RENDERED_BYTES,
  reverse: ENVELOPE_BYTES + DETAIL_BYTES,
  nearby: ENVELOPE_BYTES + MAX_NEARBY * DETAIL_BYTES,
  distance: ENVELOPE_BYTES + 2 * MAX_RENDERED_BYTES,
  listPostcodes: ENVELOPE_BYTES + PAGE_SIZE * CODE_BYTES,
  checkPostcode: ENVELOPE_BYTES,
  findPostcodes: ENVELOPE_BYTES + MAX_FOUND_COUNTRIES * MAX_POSTCODE_PLACES * DETAIL_BYTES,
  match: ENVELOPE_BYTES + DETAIL_BYTES,
  listChanges: ENVELOPE_BYTES,
};

/**
 * The calls of each endpoint, about at most `most` places of each country. `oldPathOf` gives the path that a place had in
 * the previous snapshot by its path now.
 */
export function listCalls(snapshot: Snapshot, most: number, oldPathOf?: (path: string) => string): Call[][] {
  const calls = [...makeGeneralCalls(snapshot), ...makePlaceCalls(snapshot, most, oldPathOf)];
  return Object.keys(service).map((endpoint) => calls.filter(({ name }) => name === endpoint));
}

/** The country whose structures alone a call meets, beside those of the world; undefined where there may be more. */
export function countryWithin({ name, input }: Call): string | undefined {
  const { country } = input as { country?: string };
  return ['nearby', 'match'].includes(name) || country === ANY_COUNTRY ? undefined : country;
}

/** The calls that can meet damage in a country's structures. */
export function callsMeeting(calls: readonly Call[], country: string): Call[] {
  return calls.filter((call) => [country, undefined].includes(countryWithin(call)));
}

/** Asks for the place of a path. */
export function resolveCall(country: string, path: string): Call {
  return { name: 'resolvePath', input: { country, segments: path.slice(1).split('/') } };
}

/** Lists, pages and what is not there. */
function makeGeneralCalls({ countries, release }: Snapshot): Call[] {
  const codes = countries.flatMap(({ entry, structures }) => (structures === undefined ? [] : [entry.code]));
  return [
    { name: 'listCountries', input: { hasPostcodes: undefined } },
    { name: 'listCountries', input: { hasPostcodes: true } },
    ...countries.map(({ entry: { code } }): Call => ({ name: 'getCountry', input: { country: code } })),
    ...codes.flatMap((country): Call[] => [
      ...[undefined, 1, 2, 3, 4].flatMap((level) =>
        [1, 2, 1000].map(
          (page): Call => ({ name: 'listPlaces', input: { country, level, page, pageSize: PAGE_SIZE } }),
        ),
      ),
      { name: 'getPlace', input: { ...NO_PLACE, country } },
      { name: 'resolvePath', input: { country, segments: ['zzz'] } },
      { name: 'resolvePath', input: { country, segments: ['0', '0', '0', '0'] } },
      { name: 'findPostcode', input: { country, postcode: 'NONE' } },
      { name: 'checkPostcode', input: { country, postcode: 'NONE' } },
      { name: 'listPostcodes', input: { ...NO_PLACE, country, recipients: true, page: 1, pageSize: PAGE_SIZE } },
      { name: 'autocomplete', input: { query: 'zzzzzzzz', country, limit: LIMIT } },
      { name: 'match', input: { address: '1 zzzzzzzz', country } },
    ]),
    ...[...codes, ANY_COUNTRY, undefined].flatMap((country) =>
      POINTS.map(([lat, lng]): Call => ({ name: 'reverse', input: { lat, lng, country } })),
    ),
    ...POINTS.flatMap(([lat, lng]) => nearbyCalls({ lat, lng })),
    { name: 'findPostcodes', input: { postcode: 'NONE', country: undefined } },
    { name: 'listChanges', input: { since: release, page: 1, pageSize: PAGE_SIZE } },
  ];
}

/** Entries of both kinds around a centre. */
function nearbyCalls(centre: object): Call[] {
  return (['place', 'postcode'] as const).map((by) => {
    const types = ['locality', 'recipient'];
    return { name: 'nearby', input: { ...centre, radiusKm: 200, limit: MAX_NEARBY, types, by, include } };
  });
}
const include = INCLUDED_FIELDS;
const NO_PLACE = { id: '00000000-0000-0000-0000-000000000000' };

const POINTS = [
  [0, 0],
  [90, 0],
  [-90, 180],
] as const;

/** Every way to ask for a place: for the first of each country, the last, and as many between. */
function makePlaceCalls({ countries }: Snapshot, most: number, oldPathOf?: (path: string) => string): Call[] {
  return countries.flatMap(({ structures }) => {
    if (structures === undefined) return [];
    const { renderedPlaces, tree } = structures;
    const count = Math.min(most, tree.placeCount);
    return Array.from({ length: count }, (_, index) => {
      const place = Math.round((index * (tree.placeCount - 1)) / Math.max(1, count - 1));
      const answer: PlaceResource = JSON.parse(decodeUtf8(placeJson(renderedPlaces, place)));
      const calls = callsFor(answer);
      return oldPathOf === undefined ? calls : [...calls, resolveCall(answer.countryCode, oldPathOf(answer.path))];
    }).flat();
  });
}

function callsFor({ countryCode: country, id, path, name, postalCode, latitude, longitude }: PlaceResource): Call[] {
  const mistyped = `${name.slice(0, 4)}q${name.slice(4)}`;
  const postcode = normalizePostcode(postalCode ?? 'NONE');
  const queries = [name, name.slice(0, 2), `${name} ${country}`, `${country} ${name.slice(0, -1)}`, mistyped];
  return [
    { name: 'getPlace', input: { country, id } },
    { name: 'getPlace', input: { country, id, include } },
    { name: 'listChildren', input: { country, id, page: 1, pageSize: PAGE_SIZE } },
    resolveCall(country, path),
    { name: 'findPostcode', input: { country, postcode } },
    { name: 'findPostcode', input: { country, postcode, include } },
    ...[{ postcode }, { place: id }].flatMap((centre) => nearbyCalls({ country, ...centre })),
    { name: 'distance', input: { from: { country, postcode }, to: { country, id } } },
    { name: 'checkPostcode', input: { country, postcode: `${country}-${postalCode?.slice(0, 5)}` } },
    ...[undefined, [country]].map((only): Call => ({ name: 'findPostcodes', input: { postcode, country: only } })),
    { name: 'findPostcodes', input: { postcode: `${country}-${postcode}`, country: undefined } },
    ...[1, 2].map(
      (page): Call => ({
        name: 'listPostcodes',
        input: { country, id, recipients: page === 1 || undefined, page, pageSize: PAGE_SIZE },
      }),
    ),
    ...[country, ANY_COUNTRY, undefined].map(
      (only): Call => ({ name: 'reverse', input: { lat: latitude, lng: longitude, country: only, include } }),
    ),
    ...[`1 Main Street, ${postalCode} ${name}`, `${postcode}\n${name}`, `Main Street, ${name}`].flatMap((address) =>
      [country, undefined].map((only): Call => ({ name: 'match', input: { address, country: only, include } })),
    ),
    ...queries.flatMap((query) =>
      [country, undefined].map(
        (only): Call => ({ name: 'autocomplete', input: { query, country: only, limit: LIMIT } }),
      ),
    ),
  ];
}

/** The length of the data in bytes, or 'refused' for a DomainError. Throws any other error of the use case. */
export function ask(snapshot: Snapshot, { name, input }: Call): number | 'refused' {
  try {
    const answer = (service[name] as (snapshot: Snapshot, input: object) => ResponseData)(snapshot, input);
    return byteLengthOf(bodyAround('', answer, ''));
  } catch (error) {
    if (error instanceof DomainError) return 'refused';
    throw error;
  }
}

/** The faults in the results of a snapshot, damaged or not: none if every call ends as the rule above says. */
export function findFaults(snapshot: Snapshot, calls: readonly Call[]): string[] {
  return calls.flatMap((call) => {
    try {
      const outcome = ask(snapshot, call);
      return outcome === 'refused' || outcome <= MOST_BYTES[call.name] ? [] : `${describeCall(call)}: ${outcome} bytes`;
    } catch (error) {
      return `${describeCall(call)}: ${error}`;
    }
  });
}

export function describeCall({ name, input }: Call): string {
  return `${name} ${JSON.stringify(input)}`;
}
