/**
 * The lookups that bench:answers asks for: each has the question of the contract that it belongs to, its name and its
 * inputs, all different, drawn from a snapshot's own data by rules and with a seed that are the same for every snapshot.
 * Places are drawn from all leaves alike. A lookup whose inputs end in an error (an unknown id, mid-ocean) is one too.
 */

import { childRange, listAncestors } from '../../../dist/src/core/snapshot/place-tree.js';
import { normalizePostcode } from '../../../dist/src/core/snapshot/postcode.js';
import { codeText } from '../../../dist/src/core/snapshot/postcode-index.js';
import { createRandom } from '../../fixtures/random.mjs';
import { createDraw, parsePlace } from '../drawing.mjs';

const SEED = 20260330;
/** Draws for each input that is wanted: a rule may give none, or one that is there already. */
const DRAWS = 20;
const PAGE_SIZE = 50;
const SUGGESTIONS = 10;
/** So many countries, those of the most places, count as big, and units of more children. */
const BIG_COUNTRIES = 10;
const BIG_UNIT = 4 * PAGE_SIZE;
/** A code of so many places answers with all that an answer may have. */
const FULL_ANSWER = 100;
const LETTER = /\p{L}/u;

/** In the contract's order, `{ useCase, name, inputs }`; `useCase` is a key of the service, `inputs` are at most `wanted`. */
export function listLookups(snapshot, wanted) {
  return Object.entries(rulesFor(snapshot)).flatMap(([useCase, rules]) =>
    Object.entries(rules).map(([name, rule]) => ({ useCase, name, inputs: collect(rule, wanted) })),
  );
}

/** By use case and name, a function that draws an input; undefined where the draw gave none. */
function rulesFor(snapshot) {
  const random = createRandom(SEED);
  const below = (limit) => Math.floor(random() * limit);
  const one = (list) => list[below(list.length)];
  const draw = createDraw(snapshot, random);
  return {
    listCountries: { 'all, or those with postcodes': () => ({ hasPostcodes: one([undefined, true]) }) },
    getCountry: { 'any country': () => ({ country: one(snapshot.countries).entry.code }) },
    listPlaces: pageRules(snapshot, draw, one, below),
    getPlace: placeRules(draw, below),
    listChildren: childrenRules(draw, below),
    resolvePath: {
      'a leaf': () => pathOf(draw(), ({ place }) => place),
      'a unit': () => pathOf(draw(), parentOf),
      'no such path': () => pathOf(draw(), ({ place }) => ({ path: `${place.path}-${below(10)}` })),
    },
    findPostcode: postcodeRules(draw, below),
    autocomplete: suggestionRules(draw, one, below),
    reverse: pointRules(draw, random),
  };
}

function pageRules(snapshot, draw, one, below) {
  const big = snapshot.countries
    .filter(({ structures }) => structures !== undefined)
    .sort((a, b) => b.structures.tree.placeCount - a.structures.tree.placeCount)
    .slice(0, BIG_COUNTRIES);
  const middleOf = (placeCount) => {
    const pageCount = Math.ceil(placeCount / PAGE_SIZE);
    return 1 + Math.floor(pageCount / 4) + below(Math.ceil(pageCount / 2));
  };
  const inMiddle = (level) => () => {
    const { entry, structures } = one(big);
    const { placeCount, levelStarts } = structures.tree;
    const count = level === undefined ? placeCount : levelStarts[level] - levelStarts[level - 1];
    return { country: entry.code, level, page: middleOf(count), pageSize: PAGE_SIZE };
  };
  return {
    'one of the first pages': () => ({
      country: draw().country,
      level: undefined,
      page: 1 + below(5),
      pageSize: PAGE_SIZE,
    }),
    'in the middle of a big country': inMiddle(undefined),
    'in the middle of a level of it': () => inMiddle(1 + below(4))(),
  };
}

function placeRules(draw, below) {
  const hex = (length) => Array.from({ length }, () => below(16).toString(16)).join('');
  return {
    'a leaf': () => idOf(draw(), ({ place }) => place),
    'a unit': () => idOf(draw(), parentOf),
    'no such id': () => ({ country: draw().country, id: `${hex(8)}-${hex(4)}-5${hex(3)}-8${hex(3)}-${hex(12)}` }),
  };
}

function childrenRules(draw, below) {
  const childrenOf = (isWanted, pageOf) => () => {
    const { country, structures, number } = draw();
    const parent = listAncestors(structures.tree, number).at(-1);
    if (parent === undefined) return undefined;
    const { start, end } = childRange(structures.tree, parent);
    if (!isWanted(end - start)) return undefined;
    return { country, id: parsePlace(structures, parent).id, page: pageOf(end - start), pageSize: PAGE_SIZE };
  };
  return {
    'of any unit, first page': childrenOf(
      () => true,
      () => 1,
    ),
    'in the middle of a big unit': childrenOf(
      (count) => count > BIG_UNIT,
      (count) => 2 + below(Math.ceil(count / PAGE_SIZE) - 2),
    ),
  };
}

function postcodeRules(draw, below) {
  const codeOf = (write) => () => {
    const { country, structures } = draw();
    const code = codeText(structures.postcodes, below(structures.postcodes.codeCount));
    return { country, postcode: normalizePostcode(write(code, country)) };
  };
  /** With other separators than it has, or with the country before it. */
  const asPeopleWrite = (code, country) => {
    const plain = code.replace(/[ -]/g, '');
    if (below(2) === 0) return `${country}-${code}`;
    const at = 1 + below(Math.max(1, plain.length - 1));
    return plain === code ? `${plain.slice(0, at)} ${plain.slice(at)}` : plain;
  };
  return {
    'as it is': codeOf((code) => code),
    'as people write it': codeOf(asPeopleWrite),
    'of many places': () => {
      const { country, structures, place } = draw();
      const code = place.postalCode;
      const { placeStarts, codeCount } = structures.postcodes;
      let number = 0;
      for (let end = codeCount; number < end; ) {
        const middle = (number + end) >>> 1;
        if (Buffer.compare(Buffer.from(codeText(structures.postcodes, middle)), Buffer.from(code)) < 0)
          number = middle + 1;
        else end = middle;
      }
      return placeStarts[number + 1] - placeStarts[number] < FULL_ANSWER ? undefined : { country, postcode: code };
    },
    'no such code': codeOf((code) => `${code.slice(0, 18)}X${below(10)}`),
  };
}

function suggestionRules(draw, one, below) {
  const start = (name, length) => [...name].slice(0, length).join('').trim();
  const letter = () => String.fromCharCode(97 + below(26));
  const rules = {
    'two letters': ({ place }) => start(place.name, 2),
    'three letters': ({ place }) => start(place.name, 3),
    'four to seven letters': ({ place }) => start(place.name, 4 + below(4)),
    'a whole name': ({ place }) => place.name,
    mistyped: ({ place }) => mistype(place.name, below, letter),
    'a name and its unit': (drawn) => withContext(drawn, one),
    'a name and its code': ({ place }) => `${place.postalCode} ${place.name}`,
    'nothing matches': ({ place }) => `${start(place.name, 5)}${letter()}q${letter()}${place.name.slice(5)}x`,
  };
  const asked = (rule, isInCountry) => () => {
    const drawn = draw();
    const query = rule(drawn)?.slice(0, 100).trim();
    if (query === undefined || [...query].length < 2 || !LETTER.test(query)) return undefined;
    return { query, country: isInCountry ? drawn.country : undefined, limit: SUGGESTIONS };
  };
  return Object.fromEntries(
    [false, true].flatMap((isInCountry) =>
      Object.entries(rules).map(([name, rule]) => [
        `${isInCountry ? 'a country' : 'world'}: ${name}`,
        asked(rule, isInCountry),
      ]),
    ),
  );
}

/** One letter behind the third is another, missing, twice or changed with the next; names of five letters and more. */
function mistype(name, below, letter) {
  const signs = [...name];
  const at = 3 + below(signs.length - 3);
  if (signs.length < 5 || !LETTER.test(signs[at])) return undefined;
  const [sign, next = ''] = signs.slice(at);
  const changed = [letter(), '', sign + sign, next + sign][below(4)];
  return signs.toSpliced(at, changed === next + sign ? 2 : 1, changed).join('');
}

/** The name of a leaf and that of what it lies in, at any level, or its country's code behind it. */
function withContext({ country, structures, number, place }, one) {
  const names = listAncestors(structures.tree, number).map((unit) => parsePlace(structures, unit).name);
  return `${place.name} ${one([...names, country])}`;
}

function pointRules(draw, random) {
  const near = (degrees, of) => (random() - 0.5) * 2 * degrees + of;
  const beside = (degrees, countryOf) => () => {
    const { country, place } = draw();
    const lat = Math.max(-90, Math.min(90, near(degrees, place.latitude)));
    const lng = Math.max(-180, Math.min(180, near(degrees, place.longitude)));
    return { lat, lng, country: countryOf(country) };
  };
  /** West of South America. */
  const inOcean = (countryOf) => () => ({
    lat: -50 + random() * 40,
    lng: -130 + random() * 40,
    country: countryOf(draw().country),
  });
  const [inferred, any, itself] = [() => undefined, () => 'any', (country) => country];
  return {
    'near data, its country': beside(0.05, itself),
    'near data, country inferred': beside(0.05, inferred),
    'near data, any country': beside(0.05, any),
    'some way off, its country': beside(0.5, itself),
    'some way off, any country': beside(0.5, any),
    'mid-ocean, a country': inOcean(itself),
    'mid-ocean, any country': inOcean(any),
  };
}

/** The object of the unit that a leaf lies in; undefined where it lies in none. */
function parentOf({ structures, number }) {
  const parent = listAncestors(structures.tree, number).at(-1);
  return parent === undefined ? undefined : parsePlace(structures, parent);
}

function idOf(drawn, choose) {
  const place = choose(drawn);
  return place === undefined ? undefined : { country: drawn.country, id: place.id };
}

function pathOf(drawn, choose) {
  const place = choose(drawn);
  return place === undefined ? undefined : { country: drawn.country, segments: place.path.slice(1).split('/') };
}

function collect(rule, wanted) {
  const inputs = new Map();
  for (let drawn = 0; drawn < wanted * DRAWS && inputs.size < wanted; drawn++) {
    const input = rule();
    if (input === undefined) continue;
    const key = JSON.stringify(input);
    if (!inputs.has(key)) inputs.set(key, input);
  }
  return [...inputs.values()];
}
