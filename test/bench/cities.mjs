/**
 * `bench:answers -- suggest`: whether the suggestions are what people mean, for the 3,000 most populous cities of the countries
 * that the snapshot has. A suggestion is right that lies within 25 km of the city. For each measure: the share of queries
 * whose first suggestion is right, and with a right one among five; beside it the same of a plain list of the cities by
 * population, which knows nothing of context and mistakes. Cities that lie where the snapshot has no row within reach are
 * not asked for: no order of suggestions can find them. Names and mistakes are drawn by seed and geonameid, so a city is
 * asked for in the same words in every run.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { distance } from 'geokdbush';
import { readGazetteer } from '../../dist/build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../../dist/build-index/reading/gazetteer-files.js';
import { autocomplete } from '../../dist/src/core/answers/autocomplete.js';
import { resolvePath } from '../../dist/src/core/answers/places.js';
import { findPostcode } from '../../dist/src/core/answers/postcodes.js';
import { readResponseData } from '../../dist/src/core/answers/response-data.js';
import { reverse } from '../../dist/src/core/answers/reverse.js';
import { foldText } from '../../dist/src/core/snapshot/fold-text.js';
import { normalizePostcode } from '../../dist/src/core/snapshot/postcode-spelling.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { count, fail, ROOT, requireSnapshot, startTable } from './measuring.mjs';

const CITY_COUNT = 3_000;
/** A suggestion is right that lies within this distance of the city. */
export const REACH_KM = 25;
const LIMIT = 10;
/** A section of a city is no city that people look for. */
const SECTION = 'PPLX';
const SEED = 20251119;
const MIN_OTHER_LETTERS = 4;
const LATIN_NAMES = 5;
const OTHER_NAMES = 3;
/** Cities from here on are to be found with a mistake in the first three letters. */
const TYPO_POPULATION = 100_000;
const MIN_TYPO_LETTERS = 5;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const NON_LATIN = /[^\P{L}\p{Script=Latin}]/u;

/** Opens the snapshot and reads the gazetteer that a part was given; ends the process if one of them is missing. */
export async function openInputs([snapshotFile, gazetteerFile], gazetteerName) {
  const snapshotPath = requireSnapshot(snapshotFile);
  const gazetteerPath = resolve(gazetteerFile ?? join(ROOT, '../shared/geonames/gazetteer', gazetteerName));
  if (!existsSync(gazetteerPath)) fail(`there is no ${gazetteerPath}; name ${gazetteerName} behind the snapshot`);
  const snapshot = openSnapshot(snapshotPath);
  const { citiesByCountry } = await readGazetteer(await findGazetteer(snapshotPath, gazetteerPath, [], null));
  const isCovered = (code) => snapshot.countryByCode.get(code)?.structures !== undefined;
  /** All but sections of cities, of the countries that the snapshot has, the most populous first. */
  const cities = [...citiesByCountry]
    .filter(([country]) => isCovered(country))
    .flatMap(([, list]) => list)
    .filter(({ featureCode }) => featureCode !== SECTION)
    .sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
  return { snapshot, cities, isCovered };
}

/** Functions that ask a snapshot. An error of the contract is undefined or an empty list, as documented for each. */
export function createAsker(snapshot) {
  const placesByPath = new Map();
  const listsByQuery = new Map();

  /** The place at a path with its ancestors. Suggestions name paths of the same snapshot, so there is one. */
  const placeAt = (country, path) => {
    const key = `${country}${path}`;
    const known =
      placesByPath.get(key) ?? answerOf(() => resolvePath(snapshot, { country, segments: path.slice(1).split('/') }));
    placesByPath.set(key, known);
    return known;
  };
  return {
    placeAt,
    /** The places suggested for a query, best first, with their ancestors; empty if the query is refused. */
    suggest(query, country, limit) {
      const key = `${limit} ${country} ${query}`;
      let list = listsByQuery.get(key);
      if (list === undefined) {
        const suggestions =
          answerOf(() => autocomplete(snapshot, { query, country, limit }), 'VALIDATION_FAILED') ?? [];
        list = suggestions.map(({ countryCode, path }) => placeAt(countryCode, path));
        listsByQuery.set(key, list);
      }
      return list;
    },
    /** `{ place, distanceKm }`; undefined if no place is within the reach of the service. */
    nearest: ({ latitude, longitude }, country) =>
      answerOf(() => reverse(snapshot, { lat: latitude, lng: longitude, country }), 'NO_NEARBY_PLACE'),
    /** The code of a country's data that a typed code leads to; undefined if there is none. */
    codeInData: (country, typed) =>
      answerOf(() => findPostcode(snapshot, { country, postcode: normalizePostcode(typed) }), 'POSTCODE_NOT_FOUND')
        ?.postcode,
  };
}

/** The parsed answer; undefined for the error of the contract with the code `expected`. */
function answerOf(call, expected) {
  try {
    return JSON.parse(readResponseData(call()));
  } catch (error) {
    if (expected === undefined || error.code !== expected) throw error;
    return undefined;
  }
}

/** Kilometres between two positions with latitude and longitude. */
export function kmBetween(one, other) {
  return distance(one.longitude, one.latitude, other.longitude, other.latitude);
}

export async function measureCities(args) {
  const { snapshot, cities } = await openInputs(args, 'cities15000.zip');
  const { suggest, nearest } = createAsker(snapshot);
  const isInReach = (city) => (nearest(city, city.countryCode)?.distanceKm ?? Number.POSITIVE_INFINITY) <= REACH_KM;
  const chosen = cities.slice(0, CITY_COUNT);
  const asked = chosen.filter(isInReach);
  const measures = listMeasures(({ countryCode }) => snapshot.countryByCode.get(countryCode).entry.name);
  const programs = { service: (query, country) => suggest(query, country, LIMIT), list: createCityList(cities) };
  process.stdout.write(`${count(asked.length)} cities; out of reach: ${count(chosen.length - asked.length)}\n\n`);
  const table = startTable(['', 'queries', '% first', '% in five', 'list: % first', '% in five']);
  for (const measure of measures) {
    const outcomes = Object.values(programs).map((ask) => outcomesOf(ask, measure, asked));
    const shares = outcomes.flatMap((ranks) => [shareOf(ranks, 1), shareOf(ranks, 5)]);
    table.row([measure.name, count(outcomes[0].length), ...shares]);
  }
  table.end();
}

/** For a measure, the rank of the first right suggestion for each query, 0 for none. */
function outcomesOf(ask, { queriesOf, inCountry }, asked) {
  return asked.flatMap((city) =>
    queriesOf(city).map((query) => {
      const found = ask(query, inCountry ? city.countryCode : undefined);
      return found.findIndex((position) => kmBetween(position, city) <= REACH_KM) + 1;
    }),
  );
}

function shareOf(ranks, most) {
  const right = ranks.filter((rank) => rank >= 1 && rank <= most);
  return ranks.length === 0 ? '' : ((100 * right.length) / ranks.length).toFixed(1);
}

/** The measures: what each asks of a city, a list of queries, with the city's country or without. */
function listMeasures(countryNameOf) {
  const latin = (city) => drawNames(city, (name) => !NON_LATIN.test(name), LATIN_NAMES, 1);
  const other = (city) => drawNames(city, (name) => NON_LATIN.test(name), OTHER_NAMES, 2);
  const both = (name, queriesOf) => [
    { name: `${name}, world`, queriesOf, inCountry: false },
    { name: `${name}, country`, queriesOf, inCountry: true },
  ];
  return [
    ...both('name', ({ name }) => [name]),
    ...both('other names, Latin', latin),
    ...both('other names, other scripts', other),
    { name: '"City, Country"', queriesOf: (city) => [`${city.name}, ${countryNameOf(city)}`], inCountry: false },
    {
      name: '"City, ST" (US)',
      queriesOf: ({ name, countryCode, adminCodes }) => (countryCode === 'US' ? [`${name}, ${adminCodes[0]}`] : []),
      inCountry: false,
    },
    { name: 'typo in 3 letters', queriesOf: mistype, inCountry: false },
  ];
}

/** Other names of four letters and more that are not found as the main name is; each once, as it is folded. */
function drawNames(city, fits, most, salt) {
  const main = new Set([foldText(city.name), foldText(city.asciiName)]);
  const byFolded = new Map();
  for (const name of city.otherNames) {
    const folded = foldText(name);
    const letters = name.match(/\p{L}/gu)?.length ?? 0;
    if (letters >= MIN_OTHER_LETTERS && folded !== '' && !main.has(folded) && fits(name) && !byFolded.has(folded)) {
      byFolded.set(folded, name);
    }
  }
  const names = [...byFolded.values()];
  const random = createRandom(SEED + salt + city.geonameId);
  const drawn = [];
  while (drawn.length < most && names.length > 0) drawn.push(...names.splice(Math.floor(random() * names.length), 1));
  return drawn;
}

/** One letter among the first three left out, doubled by another, replaced, or swapped with the next one. */
function mistype({ geonameId, name, population }) {
  const folded = foldText(name);
  if (population < TYPO_POPULATION || folded.length < MIN_TYPO_LETTERS) return [];
  const random = createRandom(SEED + 3 + geonameId);
  for (;;) {
    const at = Math.floor(random() * 3);
    const letter = LETTERS[Math.floor(random() * LETTERS.length)];
    const [before, here, behind] = [folded.slice(0, at), folded[at], folded.slice(at + 1)];
    const mistyped = [
      before + behind,
      before + here + letter + behind,
      before + letter + behind,
      before + (behind[0] ?? '') + here + behind.slice(1),
    ][Math.floor(random() * 4)];
    if (mistyped !== folded) return [mistyped];
  }
}

/** The best of `cities` (by population) for a query: main names that start with it, then other names that are the same. */
function createCityList(cities) {
  const citiesByOtherName = new Map();
  const startsByKey = new Map();
  const append = (lists, key, entry) => {
    if (!lists.has(key)) lists.set(key, []);
    lists.get(key).push(entry);
  };
  for (const city of cities) {
    const folded = foldText(city.name);
    for (const name of new Set([city.asciiName, ...city.otherNames].map(foldText)))
      append(citiesByOtherName, name, city);
    append(startsByKey, folded.slice(0, 3), { folded, city });
  }
  return (query, country) => {
    const typed = foldText(query);
    const found = (startsByKey.get(typed.slice(0, 3)) ?? [])
      .filter(({ folded }) => folded.startsWith(typed))
      .map(({ city }) => city);
    found.push(...(citiesByOtherName.get(typed) ?? []));
    const fitting = country === undefined ? found : found.filter(({ countryCode }) => countryCode === country);
    return [...new Set(fitting)].slice(0, LIMIT);
  };
}
