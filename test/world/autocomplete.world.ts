/**
 * Autocomplete against the naive evaluation of its rule: 5,000 seeded queries, well and badly typed, with and without
 * what places lie in; most of them in countries of many sizes and scripts, some hundreds in the world. Which places can
 * be suggested, in which order and under which spellings is derived from the answers that clients get. The naive
 * evaluation knows no budget: where a query's ends, suggestions are not compared, and such queries must be few.
 */

import { expect, test } from '@jest/globals';
import { memoize } from '../../build-index/ordering/grouping.js';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { findNamedCountry } from '../../src/core/lookup/countries.js';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { foldQuery } from '../../src/core/snapshot/fold-text.js';
import { type PlaceResource, placeJson } from '../../src/core/snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { NameQuery } from '../../src/core/suggest/name-query.js';
import { searchNames } from '../../src/core/suggest/name-search.js';
import { MAX_WORDS } from '../../src/core/suggest/name-splits.js';
import { createNaiveNames, type NaiveNames, naiveSuggest, REASONS, type Reason } from '../fixtures/naive-suggest.js';
import { createRandom } from '../fixtures/random.mjs';
import { makeSuggestQueries } from '../fixtures/suggest-queries.js';
import {
  compareSuggestable,
  listSuggestablePlaces,
  type SuggestablePlace,
  unitsOfSeveralNames,
} from '../fixtures/suggestable-places.js';
import {
  count,
  countriesWithData,
  Failures,
  openRelease,
  parseAnswer,
  parsePlaces,
  pick,
  printFigures,
  structuresOf,
} from './world.js';

const COUNTRIES = [
  ...['IN', 'PT', 'MX', 'US', 'JP', 'CN', 'FR', 'GB', 'RU', 'UA', 'PL', 'BR', 'DE', 'KR', 'TR', 'RO', 'IT', 'ES'],
  ...['BG', 'RS', 'TH', 'IL', 'BD', 'LK', 'NL', 'CZ', 'NO', 'IE', 'CH', 'ZA', 'LU', 'IS', 'FO', 'AX', 'AD', 'LI', 'MC'],
];
const QUERIES_IN_COUNTRIES = 4_600;
const QUERIES_IN_WORLD = 400;
/** Three kinds of four are typed badly, in cut contexts or cut words. */
const MOST_UNFINISHED = 100;
/** Maximum number of queries that are not compared since a unit of several names is found: regions have an English one. */
const MOST_OF_SEVERAL_NAMES = 250;

/** Maximum number of lines that end in a country without what they ask for. */
const MOST_IN_PART = 10;

/** The reasons without a mistake. */
const AS_TYPED: ReadonlySet<Reason> = new Set(REASONS.slice(0, REASONS.indexOf('oneEditName')));

/** Where a unit of several names is found or meant, by country and path: the rule over shown names does not apply. */
const ofSeveralNames = new Set<string>();

const outcome = {
  ...{ suggestionCount: 0, emptyCount: 0, unfinishedCount: 0, severalNamesCount: 0, inPartCount: 0 },
  ...{ reasons: new Map<Reason, number>(), failures: new Failures() },
};

test('5,000 queries get the same suggestions as from the naive evaluation of the rule', () => {
  const snapshot = openRelease('2026-03');
  const placesByCountry = new Map(
    countriesWithData(snapshot).map(({ code, structures }) => {
      const country = snapshot.countryByCode.get(code) as Country;
      const places = parsePlaces(structures);
      for (const unit of unitsOfSeveralNames(structures, places)) ofSeveralNames.add(`${code}${places[unit]?.path}`);
      return [code, listSuggestablePlaces(snapshot, country, places)];
    }),
  );
  const countries = COUNTRIES.filter((code) => placesByCountry.has(code));
  const namesOf = memoize((country: string) => createNaiveNames(placesByCountry.get(country) ?? []));
  countries.forEach((country, index) => {
    const names = namesOf(country);
    const [from, to] = [index, index + 1].map((at) => Math.round((QUERIES_IN_COUNTRIES * at) / countries.length));
    compare(snapshot, country, (to as number) - (from as number), names);
  });
  const everywhere = [...placesByCountry.values()].flat().sort(compareSuggestable);
  const world = createNaiveNames(everywhere);
  compare(snapshot, undefined, QUERIES_IN_WORLD, world, namesOf);

  expect(outcome.failures.shown).toEqual([]);
  expect(outcome.unfinishedCount).toBeLessThan(MOST_UNFINISHED);
  expect(outcome.severalNamesCount).toBeLessThan(MOST_OF_SEVERAL_NAMES);
  expect(outcome.inPartCount).toBeLessThan(MOST_IN_PART);
  expect(REASONS.filter((reason) => (outcome.reasons.get(reason) ?? 0) < 20)).toEqual([]);
  printFigures(
    `autocomplete: ${count(QUERIES_IN_COUNTRIES)} queries in ${countries.length} countries and ${QUERIES_IN_WORLD} in ` +
      `the world, ${count(outcome.suggestionCount)} suggestions as from the naive evaluation of the rule over ` +
      `${count(world.ranksBySpelling.size)} spellings of ${count(everywhere.length)} places (nothing found: ` +
      `${count(outcome.emptyCount)}; not compared, because the budget ended: ${outcome.unfinishedCount}; ${REASONS.map((reason) => `${reason} ${count(outcome.reasons.get(reason) ?? 0)}`).join(', ')})`,
  );
});

/** `namesOf` are the names of a country that a query names. */
function compare(
  snapshot: Snapshot,
  country: string | undefined,
  queryCount: number,
  names: NaiveNames,
  namesOf?: (country: string) => NaiveNames,
): void {
  const random = createRandom(4);
  for (const { kind, text } of makeSuggestQueries(random, names.places, queryCount)) {
    const limit = pick(random, [1, 5, 10, 25]);
    // The rule is that of names; a line with a digit may have a postal code.
    if (/\d/.test(text)) continue;
    const work = new WorkBudget();
    const only = country === undefined ? undefined : snapshot.countryByCode.get(country);
    searchNames(new NameQuery(snapshot, { countries: only && [only] }, work), foldQuery(text.toUpperCase()), limit)
      .places;
    if (work.isSpent) {
      outcome.unfinishedCount++;
      continue;
    }
    const foldings = foldQuery(text);
    const found = evaluateRule(names, foldings, limit);
    const inCountry = namesOf && evaluateInCountry(snapshot, namesOf, foldings, found, limit);
    if (inCountry?.length === 0) {
      outcome.inPartCount++;
      continue;
    }
    const expected = inCountry ?? found;
    for (const { reason } of expected) outcome.reasons.set(reason, (outcome.reasons.get(reason) ?? 0) + 1);
    outcome.suggestionCount += expected.length;
    if (expected.length === 0) outcome.emptyCount++;
    const lines = expected.map(({ place }) => describe(snapshot, place));
    const answer = parseAnswer<Suggestion[]>(autocomplete(snapshot, { query: text.toUpperCase(), country, limit })).map(
      describeAnswer,
    );
    const isOfSeveralNames = [...answer, ...lines].some((line) => ofSeveralNames.has(line.slice(0, line.indexOf(' '))));
    if (isOfSeveralNames) {
      outcome.severalNamesCount++;
    } else if (answer.join('\n') !== lines.join('\n')) {
      outcome.failures.add(
        `${kind} "${text}" ${country ?? 'world'} ${limit}: ${answer.join(', ')}; by the rule ${lines}`,
      );
    }
  }
}

/** The rule for the whole line; if that finds nothing, for the last words of a longer line: the town is behind the street. */
function evaluateRule(names: NaiveNames, foldings: readonly string[], limit: number): ReturnType<typeof naiveSuggest> {
  const found = naiveSuggest(names, foldings, limit);
  const ends = foldings.map((folded) => folded.split(' ').slice(-MAX_WORDS).join(' '));
  const isWhole = ends.every((end, at) => end === foldings[at]);
  return found.length > 0 || isWhole ? found : naiveSuggest(names, ends, limit);
}

/**
 * Where the rule for the whole line finds nothing as typed, and the line ends in the name of a country with data, the rule
 * for the rest of the line in that country: "bezedkov czech republic" is all that "bezedkov" is there. Empty where this
 * finds nothing either: then the line counts in part, which no rule over whole names tells ("gra est" ends in Estonia's code).
 */
function evaluateInCountry(
  snapshot: Snapshot,
  namesOf: (country: string) => NaiveNames,
  foldings: readonly string[],
  [first]: ReturnType<typeof naiveSuggest>,
  limit: number,
): ReturnType<typeof naiveSuggest> | undefined {
  if (first !== undefined && AS_TYPED.has(first.reason)) return undefined;
  const named = findNamedCountry(snapshot, (foldings.at(-1) as string).split(' '), false);
  if (named?.country.structures === undefined) return undefined;
  return naiveSuggest(namesOf(named.country.entry.code), [named.rest.join(' ')], limit);
}

type Suggestion = Pick<PlaceResource, 'countryCode' | 'path' | 'postalCode' | 'name'>;

function describe(snapshot: Snapshot, { countryCode, number }: SuggestablePlace): string {
  const { renderedPlaces }: CountryStructures = structuresOf(snapshot, countryCode);
  return describeAnswer(JSON.parse(decodeUtf8(placeJson(renderedPlaces, number))));
}

function describeAnswer({ countryCode, path, postalCode, name }: Suggestion): string {
  return `${countryCode}${path} ${postalCode} ${name}`;
}
