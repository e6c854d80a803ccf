/**
 * `npm run bench:suggest [-- <snapshot> <cities*.zip or .txt>]`: whether the suggestions are what people mean, for the
 * 3,000 most populous cities of the countries that the snapshot has. A suggestion is right that lies within 25 km of the
 * city. For each measure: the share of queries whose first suggestion is right, and with a right one among five; for
 * starts of names the mean reciprocal rank among ten. Each by city and by people. Every second city is held out, for
 * whoever tunes the order by the other half. Beside it the same figures of a plain list of the cities by population
 * (see suggest/city-list.mjs). Asks the service in this process; nothing is timed.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { count, printTable } from './measuring.mjs';
import { chooseCities, kmBetween, REACH_KM } from './suggest/cities.mjs';
import { createCityList } from './suggest/city-list.mjs';
import { listMeasures } from './suggest/queries.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT = 10;

const { openSnapshot } = await import(join(ROOT, 'dist/src/store/snapshot.js'));
const { foldText } = await import(join(ROOT, 'dist/src/format/fold-text.js'));
const { findGazetteer } = await import(join(ROOT, 'dist/build-index/gazetteer/gazetteer-files.js'));
const { readGazetteer } = await import(join(ROOT, 'dist/build-index/gazetteer/read-gazetteer.js'));
const { autocomplete } = await import(join(ROOT, 'dist/src/service/autocomplete.js'));
const { resolvePath } = await import(join(ROOT, 'dist/src/service/resolve-path.js'));
const { reverse } = await import(join(ROOT, 'dist/src/service/reverse.js'));
const { readResponseData } = await import(join(ROOT, 'dist/src/service/response-data.js'));

const [
  snapshotFile = join(ROOT, 'var/places.snapshot'),
  gazetteerFile = join(ROOT, '../shared/geonames/gazetteer/cities15000.zip'),
] = process.argv.slice(2);
for (const file of [snapshotFile, gazetteerFile]) {
  if (existsSync(file)) continue;
  process.stderr.write(`bench:suggest: no ${file}; name both: npm run bench:suggest -- <snapshot> <cities15000.zip>\n`);
  process.exit(2);
}
const snapshot = openSnapshot(resolve(snapshotFile));
const gazetteer = await readGazetteer(await findGazetteer(resolve(snapshotFile), resolve(gazetteerFile)));
const isCovered = (code) => snapshot.countryByCode.get(code)?.structures !== undefined;
const { listed, asked, outOfReach } = chooseCities(gazetteer.citiesByCountry, isCovered, nearestKm);
const measures = listMeasures({
  foldText,
  countryNameOf: ({ countryCode }) => snapshot.countryByCode.get(countryCode).entry.name,
});
const positions = new Map();
const programs = { service: askService, list: createCityList(listed, foldText) };
const outcomes = Object.fromEntries(
  Object.entries(programs).map(([name, ask]) => [name, measures.map(outcomesOf(ask))]),
);
report();

function answerOf(call) {
  return JSON.parse(readResponseData(call()));
}

function nearestKm({ latitude, longitude, countryCode }) {
  try {
    return answerOf(() => reverse(snapshot, { lat: latitude, lng: longitude, country: countryCode })).distanceKm;
  } catch (error) {
    if (error.code !== 'NO_NEARBY_PLACE') throw error;
    return Number.POSITIVE_INFINITY;
  }
}

/** The positions of the suggestions for a query, best first. */
function askService(query, country) {
  let suggestions;
  try {
    suggestions = answerOf(() => autocomplete(snapshot, { query, country, limit: LIMIT }));
  } catch (error) {
    if (error.code !== 'VALIDATION_FAILED') throw error;
    return [];
  }
  return suggestions.map(({ countryCode, path }) => {
    const key = `${countryCode}${path}`;
    const known = positions.get(key) ?? positionOf(countryCode, path);
    positions.set(key, known);
    return known;
  });
}

function positionOf(country, path) {
  const { latitude, longitude } = answerOf(() =>
    resolvePath(snapshot, { country, segments: path.slice(1).split('/') }),
  );
  return { latitude, longitude };
}

/** For a measure, the rank of the first right suggestion for each query, 0 for none: `{ city (its index), rank }`. */
function outcomesOf(ask) {
  return ({ queriesOf, inCountry }) =>
    asked.flatMap((city, index) =>
      queriesOf(city).map((query) => {
        const found = ask(query, inCountry ? city.countryCode : undefined);
        return { city: index, rank: found.findIndex((position) => kmBetween(position, city) <= REACH_KM) + 1 };
      }),
    );
}

/** Mean of `value(rank)` over the outcomes, and the same weighted by people. */
function meansOf(list, value) {
  let [sum, peopleSum, people] = [0, 0, 0];
  for (const { city, rank } of list) {
    const { population } = asked[city];
    sum += value(rank);
    peopleSum += value(rank) * population;
    people += population;
  }
  return list.length === 0 ? ['', ''] : [sum / list.length, peopleSum / people];
}

function figuresOf(list, { isPrefix }) {
  const percent = (share) => (share === '' ? '' : (share * 100).toFixed(1));
  const decimal = (mean) => (mean === '' ? '' : mean.toFixed(3));
  if (isPrefix) return [...meansOf(list, (rank) => (rank === 0 ? 0 : 1 / rank)).map(decimal), '', ''];
  const first = meansOf(list, (rank) => (rank === 1 ? 1 : 0));
  const five = meansOf(list, (rank) => (rank >= 1 && rank <= 5 ? 1 : 0));
  return [...first, ...five].map(percent);
}

function report() {
  const people = (cities) => cities.reduce((sum, { population }) => sum + population, 0);
  process.stdout.write(
    `${count(asked.length)} cities, ${count(people(asked))} people; out of reach (no row within ${REACH_KM} km) and not ` +
      `asked for: ${count(outOfReach.length)} cities, ${count(people(outOfReach))} people\n` +
      'Right means: within reach of the city. Names: % first and % among five; letters: mean reciprocal rank\n\n',
  );
  const halves = {
    'all cities': () => true,
    'tuned on': (city) => city % 2 === 0,
    'held out': (city) => city % 2 === 1,
  };
  for (const [half, isIn] of Object.entries(halves)) {
    printTable(
      [
        half,
        'queries',
        'first / MRR',
        'by people',
        'in five',
        'by people',
        'list: first / MRR',
        'by people',
        'in five',
      ],
      measures.map((measure, index) => {
        const [service, list] = ['service', 'list'].map((name) =>
          outcomes[name][index].filter(({ city }) => isIn(city)),
        );
        const listFigures = figuresOf(list, measure).slice(0, 3);
        return [measure.name, count(service.length), ...figuresOf(service, measure), ...listFigures];
      }),
    );
  }
}
