/**
 * Answers that people expect: the cases in test/answers, written from knowledge of the places and not from the output.
 * They run against the release of 2026-03, those of written-names.json with the cities of the gazetteer; the share that
 * passes is printed, and those that fail are listed.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { resolvePath } from '../../src/core/answers/places.js';
import { findPostcode, findPostcodes } from '../../src/core/answers/postcodes.js';
import { reverse } from '../../src/core/answers/reverse.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { readListFields } from '../../src/core/snapshot/place-fields.js';
import type { PlaceType } from '../../src/core/snapshot/place-type.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import type { SuggestionKind } from '../../src/core/suggest/suggested-items.js';
import { openRelease, openWithCities, parseAnswer, printFigures } from './world.js';

interface AutocompleteCase {
  readonly q: string;
  readonly country: string | null;
  /** `within` is the name of any of its ancestors. */
  readonly expect: { readonly name: string; readonly country: string; readonly within?: string };
  /** 1: it must come first; 3: it must be among the first three. */
  readonly rank: 1 | 3;
}

interface ReverseCase {
  readonly lat: number;
  readonly lng: number;
  /** A code, "any", or null for the country that contains the point. */
  readonly country: string | null;
  readonly expect: { readonly name: string } | { readonly within: string } | { readonly none: true };
}

interface PostcodeCase {
  readonly country: string;
  readonly code: string;
  readonly expect: { readonly postcode: string; readonly place?: string } | { readonly notFound: true };
}

/** A place with its ancestors, as the answers have it. */
type Detail = PlaceResource & { readonly ancestors: readonly PlaceResource[] };

const LEAST_SHARE = 0.97;

/** Number of the most important cities whose names are asked for. */
const COMMON_NAMES = 280;
/** Names that many places of a country share. */
const SHARED_NAMES = [
  ...['Springfield', 'Neustadt', 'San José', 'Santa Cruz', 'Saint-Denis', 'Newport', 'Franklin', 'Washington'],
  ...['Nova Ves', 'Lhota', 'Villanueva', 'Ivanovka', 'Mühlbach', 'Reichenbach', 'Clinton', 'Georgetown'],
  ...['10115', '1000', '75001', '90210'],
];

const snapshot = openRelease('2026-03');
const withCities = openWithCities();

function readCases<T>(name: string): T[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../answers', `${name}.json`), 'utf8'));
}

const isCalled = ({ name, localName }: PlaceResource, text: string): boolean =>
  foldText(name) === foldText(text) || foldText(localName) === foldText(text);

const liesIn = ({ ancestors }: Detail, text: string): boolean => ancestors.some((ancestor) => isCalled(ancestor, text));

/** The answer, or the code of the error that there is instead. */
function answerOr<T>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

function isAsExpected(snapshot: Snapshot, { q, country, expect: expected, rank }: AutocompleteCase): boolean {
  const request = { query: q, country: country ?? undefined, limit: rank };
  const suggestions = parseAnswer<{ countryCode: string; path: string }[]>(autocomplete(snapshot, request));
  return suggestions.some(({ countryCode, path }) => {
    if (countryCode !== expected.country) return false;
    const segments = path.slice(1).split('/');
    const place = parseAnswer<Detail>(resolvePath(snapshot, { country: countryCode, segments }));
    return isCalled(place, expected.name) && (expected.within === undefined || liesIn(place, expected.within));
  });
}

function isNearest({ lat, lng, country, expect: expected }: ReverseCase): boolean {
  const request = { lat, lng, country: country ?? undefined };
  const answer = answerOr(() => parseAnswer<{ place: Detail }>(reverse(snapshot, request)));
  if (typeof answer === 'string') return 'none' in expected && answer === 'NO_NEARBY_PLACE';
  if ('none' in expected) return false;
  return 'name' in expected ? isCalled(answer.place, expected.name) : liesIn(answer.place, expected.within);
}

function isFound({ country, code, expect: expected }: PostcodeCase): boolean {
  const request = { country, postcode: normalizePostcode(code) };
  const answer = answerOr(() => parseAnswer<{ postcode: string; places: Detail[] }>(findPostcode(snapshot, request)));
  if (typeof answer === 'string') return 'notFound' in expected && answer === 'POSTCODE_NOT_FOUND';
  if ('notFound' in expected || answer.postcode !== expected.postcode) return false;
  return expected.place === undefined || answer.places.some((place) => isCalled(place, expected.place as string));
}

/** A code of any country, or of some: the likeliest countries, the first of them first, and one of its places. */
interface EverywhereCase {
  readonly code: string;
  readonly countries?: readonly string[];
  readonly expect: { readonly countries: readonly string[]; readonly place?: string } | { readonly notFound: true };
}

function isFoundEverywhere({ code, countries, expect: expected }: EverywhereCase): boolean {
  const request = { postcode: normalizePostcode(code), country: countries };
  const answer = answerOr(() =>
    parseAnswer<{ countryCode: string; places: Detail[] }[]>(findPostcodes(snapshot, request)),
  );
  if (typeof answer === 'string') return 'notFound' in expected && answer === 'POSTCODE_NOT_FOUND';
  if ('notFound' in expected) return false;
  const isInOrder = expected.countries.every((country, at) => answer[at]?.countryCode === country);
  const { place } = expected;
  return isInOrder && (place === undefined || answer[0]?.places.some((one) => isCalled(one, place)) === true);
}

/** A line of an address: what must be among the first suggestions, or what must not. */
interface LineCase {
  readonly q: string;
  readonly country: string | null;
  readonly expect?: ExpectedLine;
  readonly expectNot?: ExpectedLine;
  readonly rank: number;
}

interface ExpectedLine {
  readonly country: string;
  readonly name?: string;
  readonly postalCode?: string;
}

function isLineFound({ q, country, expect: wanted, expectNot: unwanted, rank }: LineCase): boolean {
  const request = { query: q, country: country ?? undefined, limit: Math.max(rank, 5) };
  type Suggestion = { countryCode: string; name: string; postalCode: string | null };
  const suggestions = parseAnswer<Suggestion[]>(autocomplete(withCities, request)).slice(0, rank);
  const has = (line: ExpectedLine): boolean =>
    suggestions.some(
      ({ countryCode, name, postalCode }) =>
        countryCode === line.country && (line.name ?? name) === name && (line.postalCode ?? postalCode) === postalCode,
    );
  return (wanted === undefined || has(wanted)) && (unwanted === undefined || !has(unwanted));
}

describe.each([
  ['lines', 90, 1, (one: unknown) => isLineFound(one as LineCase)],
  ['autocomplete', 700, LEAST_SHARE, (one: unknown) => isAsExpected(snapshot, one as AutocompleteCase)],
  ['written-names', 100, LEAST_SHARE, (one: unknown) => isAsExpected(withCities, one as AutocompleteCase)],
  ['reverse', 100, LEAST_SHARE, (one: unknown) => isNearest(one as ReverseCase)],
  ['postcodes', 100, LEAST_SHARE, (one: unknown) => isFound(one as PostcodeCase)],
  ['postcodes-everywhere', 30, LEAST_SHARE, (one: unknown) => isFoundEverywhere(one as EverywhereCase)],
] as const)('%s', (name, leastCount, leastShare, passes) => {
  test(`at least ${leastShare * 100} % of the cases pass`, () => {
    const cases = readCases<unknown>(name);
    const failing = cases.filter((one) => !passes(one));
    const share = 1 - failing.length / cases.length;
    const list = failing.map((one) => `\n  ${JSON.stringify(one)}`).join('');
    printFigures(`${name}: ${cases.length - failing.length} of ${cases.length} (${(100 * share).toFixed(1)} %)${list}`);
    expect(cases.length).toBeGreaterThan(leastCount);
    expect(share).toBeGreaterThanOrEqual(leastShare);
  });
});

interface LabelCase {
  readonly q: string;
  readonly country?: readonly string[];
  /** Latitude and longitude. */
  readonly near?: readonly [number, number];
  readonly kinds?: readonly SuggestionKind[];
  readonly types?: readonly PlaceType[];
  /** The labels of the first suggestion and of the second. */
  readonly first: string;
  readonly second?: string;
}

test.each(readCases<LabelCase>('labels'))('$q: $first', ({ q, near, first, second, country, kinds, types }) => {
  const [lat, lng] = near ?? [];
  const request = { query: q, limit: 5, include: ['place'], country, kinds, types, lat, lng } as const;
  const labels = parseAnswer<{ label: string }[]>(autocomplete(withCities, request)).map(({ label }) => label);
  expect(labels.slice(0, 2)).toEqual([first, second ?? labels[1]].slice(0, labels.length));
});

test('no two suggestions of a common name look the same', () => {
  const { worldNames } = withCities;
  const names = [...worldNames.places.subarray(0, COMMON_NAMES)].flatMap((place, rank) => {
    const country = withCities.countries[worldNames.countries[rank] as number];
    return country?.structures === undefined ? [] : [readListFields(country.structures, place).name];
  });
  const alike = [...new Set([...names, ...SHARED_NAMES])].filter((query) => {
    const request = { query, country: undefined, limit: 25, include: ['place'], kinds: ['place', 'postcode'] } as const;
    const found = parseAnswer<{ name: string; postalCode: string | null; label: string }[]>(
      autocomplete(withCities, request),
    );
    return new Set(found.map(({ name, postalCode, label }) => `${name}|${postalCode}|${label}`)).size < found.length;
  });
  expect(alike).toEqual([]);
});
