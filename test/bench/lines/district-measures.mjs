/** The measures of bench:lines of numbered and named districts of cities: Wien 3, Praha 1, Paris 8e, Berlin-Mitte. */
import { kmBetween } from '../suggest/cities.mjs';
import { localName } from './customs.mjs';
import { firstCase, hasCode, isNear } from './judging.mjs';
import { drawFrom, radiusOf } from './source.mjs';

/** People of a city from which its districts are part of the line. */
const CITY_PEOPLE = 150_000;
const NAMED_CASES = 200;
/** Countries that write the district behind the city and a hyphen. */
const HYPHENATED = ['DE', 'AT'];
const PLAIN_NAME = /^[\p{L} .-]+$/u;
const ROMAN = ' I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII XXIII'.split(' ');
const pad = (number) => String(number).padStart(2, '0');

/** `[country, city, number of districts, code of a district, ways of writing it]`. */
const NUMBERED = [
  ['AT', 'Vienna', 23, (n) => `1${pad(n)}0`, (n) => [`Wien ${n}`, `Wien ${ROMAN[n]}`, `Vienna ${n}`]],
  ['FR', 'Paris', 20, (n) => `750${pad(n)}`, (n) => [`Paris ${n}e`, `Paris ${n}`, `Paris ${pad(n)}`, `Paris ${n}ème`]],
  ['FR', 'Lyon', 9, (n) => `6900${n}`, (n) => [`Lyon ${n}e`, `Lyon ${n}`, `Lyon ${pad(n)}`]],
  ['FR', 'Marseille', 16, (n) => `130${pad(n)}`, (n) => [`Marseille ${n}e`, `Marseille ${pad(n)}`]],
  ['CZ', 'Prague', 9, (n) => `1${n}0 00`, (n) => [`Praha ${n}`, `Prague ${n}`]],
  ['HU', 'Budapest', 23, (n) => `1${pad(n)}1`, (n) => [`Budapest ${n}`, `Budapest ${ROMAN[n]}. kerület`]],
  ['IE', 'Dublin', 24, (n) => `D${pad(n)}`, (n) => [`Dublin ${n}`, `Dublin ${n}, Ireland`]],
];

export function districtMeasures(source) {
  return [
    { name: 'numbered districts, code', cases: () => numberedCases(source, true) },
    { name: 'numbered districts alone', cases: () => numberedCases(source, false) },
    { name: 'named districts, code', cases: () => namedCases(source, true) },
    { name: 'named districts alone', cases: () => namedCases(source, false) },
  ];
}

/** With the code, right is the code where the data has it; alone, a place within reach of the city. */
function numberedCases(source, hasCodeToo) {
  return NUMBERED.filter(([country]) => source.isCovered(country)).flatMap(([country, name, count, codeOf, write]) => {
    const city = source.citiesOf(country).find((other) => other.name === name);
    return Array.from({ length: count }, (_, at) => at + 1).flatMap((number) => {
      const code = source.codeInData(country, codeOf(number));
      if (code === undefined) return [];
      const ways = write(number);
      const way = ways[number % ways.length];
      return [districtCase({ query: hasCodeToo ? `${code} ${way}` : way, code: hasCodeToo ? code : undefined, city })];
    });
  });
}

/** Sections of large cities, as the gazetteer has them, with the code nearest to each. */
function namedCases(source, hasCodeToo) {
  const cases = HYPHENATED.filter((country) => source.isCovered(country)).flatMap((country) => {
    const cities = source.citiesOf(country).filter(({ population }) => population >= CITY_PEOPLE);
    return source.sectionsOf(country).flatMap((section) => {
      const city = cities.find((other) => kmBetween(other, section) <= radiusOf(other));
      const code = source.asker.nearest(section, country)?.place.postalCode;
      if (city === undefined || code === null || code === undefined) return [];
      const name = localName(city) ?? city.name;
      if (!PLAIN_NAME.test(name + section.name) || section.name.startsWith(name)) return [];
      const district = `${name}-${section.name}`;
      return [
        districtCase({
          query: hasCodeToo ? `${code} ${district}` : district,
          code: hasCodeToo ? code : undefined,
          city,
        }),
      ];
    });
  });
  return drawFrom(cases, NAMED_CASES, `districts ${hasCodeToo}`);
}

function districtCase({ query, code, city }) {
  return firstCase({ query, meant: `${city.countryCode} ${city.name}`, position: city }, (first) =>
    code === undefined ? isNear(first, city) : hasCode(first, code) && first.countryCode === city.countryCode,
  );
}
