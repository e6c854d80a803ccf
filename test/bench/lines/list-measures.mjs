/** The measures of bench:lines of whole lists: those with the same place twice, and those that are wild guesses. */
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { kmBetween } from '../suggest/cities.mjs';
import { describe } from './judging.mjs';
import { randomFor } from './source.mjs';
import { listWildGuesses } from './wild-guesses.mjs';

/** Length of the lists that are looked at for duplicates: the default of the API. */
const TEN = 10;
const SAME_PLACE_KM = 5;
const LARGE_CITIES = 150;
const CITIES = 150;
const PLACES = 150;
const STARTS = 150;
const CITY_PEOPLE = 15_000;
const START_LENGTHS = [3, 4, 5];

export function listMeasures(source) {
  const queries = commonQueries(source);
  // As users see it: each name of a unit once, and without the place's own name.
  const unitsOf = ({ name, ancestors }) => {
    const units = new Set(ancestors.map((unit) => foldText(unit.name)));
    units.delete(foldText(name));
    return [...units].join('/');
  };
  const sameName = (one, other) => foldText(one.name) === foldText(other.name);
  const duplicates = (isSame) => () => queries.map((query) => duplicateCase(query, isSame));
  return [
    {
      name: 'no row twice (name and units)',
      aim: 94,
      before: 83,
      cases: duplicates(
        (one, other) =>
          sameName(one, other) && one.countryCode === other.countryCode && unitsOf(one) === unitsOf(other),
      ),
    },
    {
      name: 'no name twice within 5 km',
      aim: 94,
      before: 84,
      cases: duplicates((one, other) => sameName(one, other) && kmBetween(one, other) <= SAME_PLACE_KM),
    },
    { name: 'no wild guesses', cases: () => listWildGuesses().map(wildGuessCase) },
  ];
}

/** Names of the largest cities, of any cities and of any places, and the starts of names; a third in their country. */
function commonQueries(source) {
  const cities = source.cities.filter(({ population }) => population >= CITY_PEOPLE);
  const { below, one } = randomFor('common queries');
  const ofCity = ({ name, countryCode }) => ({ name, countryCode });
  const anyCity = () => ofCity(one(cities));
  const anyPlace = () => ofCity(source.drawPlace(one(source.countries), { below }));
  const anyStart = () => {
    const { name, countryCode } = anyCity();
    return { name: name.slice(0, one(START_LENGTHS)), countryCode };
  };
  return [
    ...cities.slice(0, LARGE_CITIES).map(ofCity),
    ...Array.from({ length: CITIES }, anyCity),
    ...Array.from({ length: PLACES }, anyPlace),
    ...Array.from({ length: STARTS }, anyStart),
  ].map(({ name, countryCode }) => ({ query: name, country: below(3) === 0 ? countryCode : undefined }));
}

function duplicateCase({ query, country }, isSame) {
  return {
    label: `${query}${country === undefined ? '' : ` (in ${country})`}`,
    judge(suggest) {
      const list = suggest(query, country, TEN);
      const twice = list.find((place, at) => list.slice(0, at).some((earlier) => isSame(place, earlier)));
      return twice && `${describe(list.filter((place) => isSame(place, twice)))}`;
    },
  };
}

/** Right is no suggestion at all, or a first one on the continent that was meant or with the very name that was typed. */
function wildGuessCase({ query, country, continent, continentOf }) {
  return {
    label: `${query} = ${country ?? 'nothing'}`,
    judge(suggest) {
      const found = suggest(query, undefined, TEN);
      const [first] = found;
      const isRight =
        first === undefined || continentOf(first.countryCode) === continent || foldText(first.name) === foldText(query);
      return isRight ? undefined : describe(found);
    },
  };
}
