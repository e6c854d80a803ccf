/**
 * `npm run bench:suggest [-- <snapshot> <cities*.zip or .txt>]`: whether the suggestions are what people mean, for the
 * 3,000 most populous cities of the countries that the snapshot has. A suggestion is right that lies within 25 km of the
 * city. For each measure: the share of queries whose first suggestion is right, and with a right one among five; for
 * starts of names the mean reciprocal rank among ten. Each by city and by people. Every second city is held out, for
 * whoever tunes the order by the other half. Beside it the same figures of a plain list of the cities by population
 * (see suggest/city-list.mjs). Asks the service in this process. In the end: how much longer suggestions take with
 * `include=place` and all `kinds`, for names, starts of names, mistakes, postal codes and codes with a city.
 */
import { foldText } from '../../dist/src/core/snapshot/fold-text.js';
import { count, printTable } from './measuring.mjs';
import { createAsker, openInputs } from './suggest/asking.mjs';
import { chooseCities, kmBetween, REACH_KM } from './suggest/cities.mjs';
import { createCityList } from './suggest/city-list.mjs';
import { listMeasures } from './suggest/queries.mjs';
import { timeRequested } from './suggest/ratio.mjs';

const LIMIT = 10;

const { snapshot, gazetteer } = await openInputs('bench:suggest', process.argv.slice(2), 'cities15000.zip');
const { suggest, nearest } = createAsker(snapshot);
const isCovered = (code) => snapshot.countryByCode.get(code)?.structures !== undefined;
const nearestKm = (city) => nearest(city, city.countryCode)?.distanceKm ?? Number.POSITIVE_INFINITY;
const { listed, asked, outOfReach } = chooseCities(gazetteer.citiesByCountry, isCovered, nearestKm);
const measures = listMeasures({
  foldText,
  countryNameOf: ({ countryCode }) => snapshot.countryByCode.get(countryCode).entry.name,
});
const askService = (query, country) => suggest(query, country, LIMIT);
const programs = { service: askService, list: createCityList(listed, foldText) };
const outcomes = Object.fromEntries(
  Object.entries(programs).map(([name, ask]) => [name, measures.map(outcomesOf(ask))]),
);
report();
reportRequested();

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

function reportRequested() {
  const isWorldwide = ({ inCountry }) => !inCountry;
  const lists = measures
    .filter(isWorldwide)
    .map(({ name, queriesOf }) => [name, asked.flatMap(queriesOf).filter((query) => foldText(query) !== '')]);
  const near = asked.flatMap((city) => {
    const code = nearest(city, city.countryCode)?.place.postalCode;
    return code === undefined || code === null ? [] : [{ code, line: `${code} ${city.name}` }];
  });
  lists.push(['postal codes', near.map(({ code }) => code)], ['codes with a city', near.map(({ line }) => line)]);
  let [plainSum, requestedSum] = [0, 0];
  const rows = lists.map(([name, queries]) => {
    const [plain, requested] = timeRequested(snapshot, queries);
    plainSum += plain;
    requestedSum += requested;
    return [name, plain.toFixed(1), requested.toFixed(1), (requested / plain).toFixed(2)];
  });
  rows.push([
    'all',
    (plainSum / lists.length).toFixed(1),
    (requestedSum / lists.length).toFixed(1),
    (requestedSum / plainSum).toFixed(2),
  ]);
  printTable(['µs for a suggestion', 'plain', 'include and kinds', 'ratio'], rows);
}
