/** The measures of bench:lines of whole lines, with and without the country, and of the starts of codes. */
import { FORMS_BY_COUNTRY, unitCode, withoutAccents } from './customs.mjs';
import { drawLine, drawLines } from './drawn-lines.mjs';
import { caseOf, firstCase, hasCode, isNear } from './judging.mjs';
import { drawCases, randomFor } from './source.mjs';

/** Lines drawn for each country, beside those of known-lines.mjs. */
const LINES_PER_COUNTRY = 8;
const FRENCH_LINES = 500;
const STATE_CASES = 600;
const PREFIX_CASES = 600;
/** Countries whose addresses name the state by its code. */
const STATE_COUNTRIES = ['US', 'US', 'CA', 'AU', 'BR', 'MX', 'IN'];
const SHORTEST_PREFIX = 3;
/** What people write for countries beside the names of country-names.tsv. */
const MORE_COUNTRY_NAMES = {
  US: ['USA', 'United States'],
  GB: ['UK', 'England'],
  NL: ['The Netherlands'],
  KR: ['Korea'],
};

export function lineMeasures(source, knownLines) {
  const lines = [...knownLines, ...drawLines(source, 'line', LINES_PER_COUNTRY)];
  const appended = [...knownLines, ...drawLines(source, 'line with country', LINES_PER_COUNTRY)].map((line, number) =>
    withCountry(source, line, randomFor('country of line', number)),
  );
  return [
    { name: 'lines', aim: 96, before: 71, cases: () => lines.map((line) => lineCase(source, line)) },
    { name: 'lines, code or town', cases: () => lines.map((line) => lineCase(source, line, true)) },
    { name: 'lines with country', aim: 95, before: 41, cases: () => appended.map((line) => lineCase(source, line)) },
    { name: 'lines with country, code or town', cases: () => appended.map((line) => lineCase(source, line, true)) },
    { name: 'French code town', aim: 98, before: 85, cases: () => frenchCases(source) },
    { name: 'City, ST', aim: 97, before: 85, cases: () => stateCases(source, false) },
    { name: 'City, ST code', cases: () => stateCases(source, true) },
    { name: 'code prefix, country', cases: () => prefixCases(source, 'country') },
    { name: 'code prefix, world', cases: () => prefixCases(source, 'world') },
    { name: 'town and code prefix', cases: () => prefixCases(source, 'town') },
  ];
}

/**
 * Right is a place with the code of the line or, if the data does not have it, one within reach of the town. With
 * `isLenient` the town is right in any case.
 */
function lineCase(source, { country, line, town, code, position }, isLenient = false) {
  const known = source.codeInData(country, code);
  const meant = `${country} ${known === undefined ? `${code} (unknown) ${town}` : known}`;
  return firstCase({ query: line, meant, position }, (first) => {
    const isCode = known !== undefined && hasCode(first, known) && source.isOfPost(country, first.countryCode);
    return isCode || ((isLenient || known === undefined) && isNear(first, position));
  });
}

function withCountry(source, described, { one, chance }) {
  const { country, line, code } = described;
  const names = [...source.countryNames(country).filter((name) => name !== ''), ...(MORE_COUNTRY_NAMES[country] ?? [])];
  const name = chance(0.6) ? names[0] : one(names);
  const startsWithCode = line.startsWith(code) && /^\d/.test(code);
  const forms = [
    `${line}, ${name}`,
    `${line}, ${name}`,
    `${line}, ${name}`,
    `${line} ${name}`,
    `${line}, ${name.toUpperCase()}`,
    `${name}, ${line}`,
    startsWithCode ? `${country}-${line}` : `${line}, ${country}`,
    startsWithCode ? `${country}-${line}, ${name}` : `${line} - ${name}`,
  ];
  return { ...described, line: one(forms) };
}

function frenchCases(source) {
  return drawCases('French', FRENCH_LINES, (draw) =>
    drawLine(source, 'FR', draw, ['{code} {town}', '{code} {town}', '{code} {TOWN}']),
  ).map((line) => lineCase(source, line));
}

function stateCases(source, hasCodeToo) {
  const countries = STATE_COUNTRIES.filter((country) => source.isCovered(country));
  return drawCases(`state ${hasCodeToo}`, STATE_CASES, (draw, number) => {
    const country = countries[number % countries.length];
    const city = source.drawCity(country, draw, 2_000);
    const state = source.asker.nearest(city, country)?.place.ancestors[0];
    const place = source.placeInCity(city, draw);
    const st = unitCode(source, country, state);
    if (st === undefined || place?.ancestors[0]?.path !== state.path) return undefined;
    const town = draw.chance(0.2) ? withoutAccents(city.name).toUpperCase() : city.name;
    const query = draw.chance(0.7) ? `${town}, ${st}` : `${town} ${st}`;
    const meant = `${country} ${city.name}`;
    if (hasCodeToo)
      return lineCase(source, {
        country,
        line: `${query} ${place.postalCode}`,
        town,
        code: place.postalCode,
        position: city,
      });
    return firstCase({ query, meant, position: city }, (first) => isNear(first, city));
  });
}

function prefixCases(source, kind) {
  const countries = [...FORMS_BY_COUNTRY.keys()].filter((country) => source.isCovered(country));
  return drawCases(`prefix ${kind}`, PREFIX_CASES, (draw, number) => {
    const country = countries[number % countries.length];
    const line = drawLine(source, country, draw, ['{code}']);
    if (line === undefined || line.code.length <= SHORTEST_PREFIX) return undefined;
    const { town, code, position } = line;
    const length = SHORTEST_PREFIX + draw.below(code.length - SHORTEST_PREFIX);
    const prefix = code.slice(0, length).trim();
    if (/^\D*$/.test(prefix)) return undefined;
    const data = source.codeInData(country, code);
    const wanted = data.startsWith(prefix) ? prefix : data;
    const startsSo = ({ postalCode }) => postalCode?.startsWith(wanted) ?? false;
    const meant = `${country} ${code}`;
    if (kind === 'town') {
      return firstCase(
        { query: `${town} ${prefix}`, meant, position },
        (first) => startsSo(first) && isNear(first, position),
      );
    }
    if (kind === 'world') return caseOf({ query: prefix, meant, position }, (found) => found.some(startsSo));
    return firstCase({ query: prefix, country, meant, position }, startsSo);
  });
}
