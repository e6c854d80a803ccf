/** The measures of bench:lines of the gazetteer's cities and towns, and of a city's own name before others. */
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { caseOf, firstCase, isNear } from './judging.mjs';
import { drawFrom } from './source.mjs';

const CASES = 1_500;
const CITY_PEOPLE = 15_000;
const TOWN_PEOPLE = 2_000;
/** A city of so many times the people may come before the city whose own name was typed. */
const FAR_LARGER = 10;

export function cityMeasures(source) {
  const cities = source.cities.filter(({ population }) => population >= CITY_PEOPLE);
  const towns = source.cities.filter(({ population }) => population >= TOWN_PEOPLE && population < CITY_PEOPLE);
  const drawn = drawFrom(cities, CASES, 'cities');
  const five = (inCountry) =>
    drawn.map((city) =>
      caseOf({ ...askFor(city, inCountry), position: city }, (found) => found.some((place) => isNear(place, city))),
    );
  return [
    { name: 'cities in five, world', aim: 97, before: 87, cases: () => five(false) },
    { name: 'cities in five, country', aim: 97, cases: () => five(true) },
    {
      name: 'towns first, country',
      aim: 84,
      before: 70,
      cases: () =>
        drawFrom(towns, CASES, 'towns').map((town) =>
          firstCase({ ...askFor(town, true), position: town }, (first) => isNear(first, town)),
        ),
    },
    { name: 'own name first, country', cases: () => ownNameCases(cities, true) },
    { name: 'own name first, world', cases: () => ownNameCases(cities, false) },
  ];
}

function askFor({ name, countryCode }, inCountry) {
  return { query: name, country: inCountry ? countryCode : undefined, meant: inCountry ? '' : countryCode };
}

/**
 * Right is the most populous city whose own name was typed. In the world, names are left out that a far larger city has
 * as another name or as the start of its name.
 */
function ownNameCases(cities, inCountry) {
  const scope = ({ countryCode }) => (inCountry ? countryCode : '');
  const ownByName = new Map();
  const othersByName = new Map();
  for (const city of cities) {
    const own = foldText(city.name);
    const key = `${scope(city)} ${own}`;
    if (!ownByName.has(key)) ownByName.set(key, city);
    if (inCountry) continue;
    for (let length = 2; length < own.length; length++) keepLargest(othersByName, ` ${own.slice(0, length)}`, city);
    for (const name of city.otherNames) keepLargest(othersByName, ` ${foldText(name)}`, city);
  }
  const clear = [...ownByName].filter(([key, city]) => {
    const other = othersByName.get(key);
    return other === undefined || other === city || other.population < FAR_LARGER * city.population;
  });
  return drawFrom(clear, CASES, `own names ${inCountry}`).map(([, city]) =>
    firstCase({ ...askFor(city, inCountry), position: city }, (first) => isNear(first, city)),
  );
}

/** The cities come by population, so the first one of a key is the largest. */
function keepLargest(map, key, city) {
  if (!map.has(key)) map.set(key, city);
}
