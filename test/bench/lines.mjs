/**
 * `bench:answers -- lines`: whether the suggestions are what people mean who type or paste the last line of an address. The
 * cases are lines and names that were written down by hand: lines of known towns in over 70 countries (known-lines.tsv),
 * whole, with the country, and with mistakes in their codes; lines as they are typed (typed-lines.tsv: a town with a unit
 * or a code of letters behind it, by the start as typed and the rest; without a town, asked in the country); names of
 * cities in other languages, short ones, and English names of regions (names-abroad.tsv). Nothing is timed.
 *
 *   --held-out           every second case, by which nobody tunes, instead of the others
 *   --misses <measure>   only the measures whose name contains this text, with each case that was answered wrongly
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foldText } from '../../dist/src/core/snapshot/fold-text.js';
import { createRandom } from '../fixtures/random.mjs';
import { createAsker, kmBetween, openInputs, REACH_KM } from './cities.mjs';
import { count, fail, startTable } from './measuring.mjs';

/** Length of the lists that are looked at: as many suggestions as a form shows at once. */
const FIVE = 5;
const SHORTEST_QUERY = 2;
const SEED = 20261123;
const LANGUAGES = { de: 'German', fr: 'French', es: 'Spanish', pt: 'Portuguese', ru: 'Russian' };
const LOOK_ALIKES = { 0: 'O', O: '0', 1: 'l', I: '1', L: '1', 5: 'S', S: '5', 8: 'B', B: '8', 2: 'Z', Z: '2' };

/** A case is `{ label, judge() }`; `judge` gives undefined if the answer is right, otherwise what was found. */
export async function measureLines(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { 'held-out': { type: 'boolean', default: false }, misses: { type: 'string' } },
    allowPositionals: true,
  });
  const every = listMeasures(await openInputs(positionals, 'cities500.zip'));
  const names = Object.keys(every).filter((name) => name.includes(values.misses ?? ''));
  if (names.length === 0) fail(`no measure has ${values.misses} in its name: ${Object.keys(every).join('; ')}`);
  const table = startTable([values['held-out'] ? 'held out' : 'tuned on', '% right', 'cases']);
  for (const name of names) {
    const cases = every[name].filter((_, number) => number % 2 === (values['held-out'] ? 1 : 0));
    const judged = cases.map(({ label, judge }) => ({ label, miss: judge() }));
    const misses = judged.filter(({ miss }) => miss !== undefined);
    if (values.misses !== undefined) {
      const lines = misses.map(({ label, miss }) => `  ${label}  ->  ${miss}\n`);
      process.stdout.write(`${name}: ${misses.length} answered wrongly\n${lines.join('')}\n`);
    }
    const share = judged.length === 0 ? '' : (100 * (1 - misses.length / judged.length)).toFixed(1);
    table.row([name, share, count(judged.length)]);
  }
  table.end();
}

/** By the name of each measure, its cases. */
function listMeasures({ snapshot, cities, isCovered }) {
  const { suggest, codeInData } = createAsker(snapshot);
  const rowsOf = (table) => readTable(table).filter(({ country }) => isCovered(country));
  const cityNamed = (country, name) => {
    const folded = foldText(name);
    const ofCountry = cities.filter(({ countryCode }) => countryCode === country);
    const city =
      ofCountry.find((one) => [one.name, one.asciiName].some((text) => foldText(text) === folded)) ??
      ofCountry.find(({ otherNames }) => otherNames.some((text) => foldText(text) === folded));
    return city ?? fail(`the gazetteer has no ${name} in ${country}: is it cities500?`);
  };
  /** A case of one query: right if `isRight(list of suggestions)`. */
  const caseOf = (query, meant, isRight, country) => ({
    label: `${query} = ${meant}`,
    judge() {
      const found = suggest(query, country, FIVE);
      return isRight(found) ? undefined : describe(found);
    },
  });
  const firstCase = (query, meant, isRight) => caseOf(query, meant, ([first]) => first !== undefined && isRight(first));
  /** Right if a fitting list comes after every character from `start` characters on. */
  const typingCase = ({ country, line, start, only }, isRight) => ({
    label: `${line} (${country})`,
    judge() {
      const queries = Array.from({ length: line.length - start + 1 }, (_, more) => line.slice(0, start + more));
      return queries.find((query) => !isRight(suggest(query, only, FIVE)));
    },
  });

  const known = rowsOf('known-lines.tsv').map((row) => {
    return { ...row, city: cityNamed(row.country, row.town), data: codeInData(row.country, row.code) };
  });
  /** Right is a place with the code or, where the data does not have it, one near the town; leniently either. */
  const lineCase = ({ country, town, line, data, city }, isLenient = false) =>
    firstCase(line, `${country} ${data ?? town}`, (first) => {
      const isTown = isNear(first, city);
      return data === undefined || isLenient ? isTown || hasCode(first, data) : hasCode(first, data);
    });
  const nameOf = ({ country }) => snapshot.countryByCode.get(country).entry.name;
  const withMistake = (mistake) =>
    known.flatMap((row, number) => {
      const random = createRandom(SEED + number);
      const typed = mistake([...row.code], (limit) => Math.floor(random() * limit))?.join('');
      // A wrong code may be right elsewhere: what counts is the code that was meant or the town.
      return typed === undefined || typed === row.code
        ? []
        : [lineCase({ ...row, line: `${typed} ${row.town}` }, true)];
    });

  const typed = rowsOf('typed-lines.tsv');
  const towns = typed
    .filter(({ town }) => town !== '')
    .map(({ country, town, start, rest }) => {
      return { country, line: start + rest, start: start.length, city: cityNamed(country, town) };
    });
  const inCountry = typed
    .filter(({ town }) => town === '')
    .map(({ country, rest }) => ({ country, line: rest, start: SHORTEST_QUERY, only: country }));

  const abroad = rowsOf('names-abroad.tsv');
  const namesOf = (wanted) => abroad.filter(({ kind }) => kind === wanted);
  /** Right is the city or a place of the same name. A place of the very name that was typed may come before it. */
  const cityCase = ({ country, name, typed: query }) => {
    const city = cityNamed(country, name);
    const isRight = (place) => isNear(place, city) || foldText(place.name) === foldText(city.name);
    return caseOf(query, `${country} ${name}`, ([first, ...others]) => {
      if (first === undefined) return false;
      return isRight(first) || (foldText(first.name) === foldText(query) && others.some(isRight));
    });
  };
  /** Right is the unit, by either name: which of the two it has is the builder's choice. */
  const regionCase = ({ country, name, typed: query }) => {
    const names = [name, query].map(foldText);
    return firstCase(query, `${country} ${name}`, (first) => {
      const isNamed = [first.name, first.localName].some((text) => names.includes(foldText(text)));
      return first.countryCode === country && first.level === 1 && isNamed;
    });
  };
  const languages = Object.entries(LANGUAGES).map(([kind, name]) => [`names in ${name}`, namesOf(kind).map(cityCase)]);
  return {
    lines: known.map((row) => lineCase(row)),
    'lines, code or town': known.map((row) => lineCase(row, true)),
    'lines with country': known.map((row) => lineCase({ ...row, line: `${row.line}, ${nameOf(row)}` })),
    'wrong digit and town': withMistake(changeDigit),
    'swapped digits and town': withMistake(swapDigits),
    'look-alike and town': withMistake(takeLookAlike),
    'town stays, letters behind it': towns.map((row) => typingCase(row, (found) => found.some(nearTo(row.city)))),
    'a list throughout, in country': inCountry.map((row) => typingCase(row, (found) => found.length > 0)),
    ...Object.fromEntries(languages),
    'short names of cities': namesOf('short').map(cityCase),
    'English names of regions': namesOf('region').map(regionCase),
  };
}

/** The rows of a table of tab-separated lines as objects by the names of its header. */
function readTable(name) {
  const text = readFileSync(join(import.meta.dirname, 'lines', name), 'utf8').trimEnd();
  const [columns, ...rows] = text.split('\n').map((row) => row.split('\t'));
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
}

const nearTo = (position) => (place) => kmBetween(place, position) <= REACH_KM;
const isNear = (place, position) => nearTo(position)(place);
const compact = (code) => code?.replace(/[ -]/g, '').toUpperCase();
const hasCode = (place, code) => code !== undefined && compact(place.postalCode) === compact(code);

function describe(found) {
  const places = found.slice(0, 3).map((place) => `${place.name} ${place.postalCode ?? ''} ${place.countryCode}`);
  return places.length === 0 ? 'nothing' : places.join(' | ');
}

/** Positions of the characters of a code that fit. */
const positionsOf = (code, fits) => code.flatMap((character, at) => (fits(character, at) ? [at] : []));

function changeDigit(code, below) {
  const digits = positionsOf(code, (character) => /\d/.test(character));
  const at = digits[below(digits.length)];
  return at === undefined ? undefined : code.with(at, String((Number(code[at]) + 1 + below(9)) % 10));
}

function swapDigits(code, below) {
  const pairs = positionsOf(code, (digit, at) => /\d\d/.test(digit + (code[at + 1] ?? '')) && digit !== code[at + 1]);
  const at = pairs[below(pairs.length)];
  return at === undefined ? undefined : code.with(at, code[at + 1]).with(at + 1, code[at]);
}

function takeLookAlike(code, below) {
  const places = positionsOf(code, (character) => LOOK_ALIKES[character] !== undefined);
  const at = places[below(places.length)];
  return at === undefined ? undefined : code.with(at, LOOK_ALIKES[code[at]]);
}
