/**
 * What the cases of bench:lines are drawn from: the gazetteer's cities and the snapshot's codes, places and codes of
 * units. Every draw has a seed of its own (its purpose, country and number), so a case stays the same when others change.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { CODE_MARK } from '../../../dist/src/core/snapshot/place-contexts.js';
import { codePlaces, codeText } from '../../../dist/src/core/snapshot/postcode-index.js';
import { pathOf } from '../../../dist/src/core/snapshot/rendered-places.js';
import { TERRITORIES } from '../../../dist/src/core/use-cases/postcode-rules.js';
import { createRandom } from '../../fixtures/random.mjs';
import { parsePlace } from '../drawing.mjs';
import { kmBetween, REACH_KM } from '../suggest/cities.mjs';

const SEED = 'lines 2026-11-23';
const SECTION = 'PPLX';
/** A numbered part of a city, such as Marseille 04, whose code is none of the parts around it. */
const NUMBERED = /\d/;
/** Maximum number of draws for a case whose first draws do not fit, such as a point at sea. */
const TRIES = 8;
const COUNTRY_NAMES = resolve(import.meta.dirname, '../../../data/country-names.tsv');
const KM_PER_DEGREE = 111.2;

/** FNV-1a of the parts, for a random generator that depends on nothing else. */
export function randomFor(...parts) {
  let hash = 0x811c9dc5;
  for (const char of [SEED, ...parts].join('|')) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193);
  const random = createRandom(hash);
  const below = (limit) => Math.floor(random() * limit);
  return { random, below, one: (list) => list[below(list.length)], chance: (share) => random() < share };
}

/** `count` of a list, each once; all of them where there are no more. */
export function drawFrom(list, count, purpose) {
  const { below } = randomFor(purpose);
  const rest = [...list];
  return Array.from({ length: Math.min(count, list.length) }, () => rest.splice(below(rest.length), 1)[0]);
}

/** The cases `make(draw, number)` of `count` numbers, without those that it leaves out (undefined). */
export function drawCases(purpose, count, make) {
  const cases = [];
  for (let number = 0; number < count; number++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const made = make(randomFor(purpose, number, attempt), number);
      if (made === undefined) continue;
      cases.push(made);
      break;
    }
  }
  return cases;
}

/** Number of people from which a city's codes reach beyond its middle. */
const LARGE_CITY = 100_000;
/** Radius in kilometres in which people write the city's name: 5 for 100,000 people, 12 for a million, 20 at most. */
export const radiusOf = ({ population }) =>
  population < LARGE_CITY ? 1.5 : Math.min(20, 2 + Math.sqrt(population) / 100);

export function createSource(snapshot, gazetteer, asker) {
  const countries = snapshot.countries.filter(({ structures }) => structures !== undefined);
  const structuresOf = (country) => snapshot.countryByCode.get(country)?.structures;
  const citiesByCountry = new Map(
    countries.map(({ entry }) => [
      entry.code,
      (gazetteer.citiesByCountry.get(entry.code) ?? []).filter(
        ({ featureCode, name }) => featureCode !== SECTION && !NUMBERED.test(name),
      ),
    ]),
  );
  const namesOfCountry = new Map(
    readFileSync(COUNTRY_NAMES, 'utf8')
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([code, ...names]) => [code, names]),
  );
  const unitCodes = new Map();
  const weights = new Map();

  /** A city of at least `people` people, the larger ones more often: by the root of their people. */
  const drawCity = (country, { random }, people = 5_000) => {
    const key = `${country} ${people}`;
    let ends = weights.get(key);
    if (ends === undefined) {
      let sum = 0;
      ends = citiesByCountry
        .get(country)
        .filter(({ population }) => population >= people)
        .map(({ population }) => {
          sum += Math.sqrt(population);
          return sum;
        });
      weights.set(key, ends);
    }
    const at = random() * (ends.at(-1) ?? 0);
    return citiesByCountry.get(country)[ends.findIndex((end) => at < end)];
  };
  return {
    snapshot,
    asker,
    countries: countries.map(({ entry }) => entry.code),
    /** The cities of a country without sections of cities, the most populous first. */
    citiesOf: (country) => citiesByCountry.get(country) ?? [],
    /** Sections of cities with a name of their own. */
    sectionsOf: (country) =>
      (gazetteer.citiesByCountry.get(country) ?? []).filter(
        ({ featureCode, name }) => featureCode === SECTION && !NUMBERED.test(name),
      ),
    cities: [...citiesByCountry.values()]
      .flat()
      .sort((a, b) => b.population - a.population || a.geonameId - b.geonameId),
    /** Whether a country's post serves the other country: its territories have codes of its own. */
    isOfPost: (country, other) => country === other || (TERRITORIES[country] ?? []).includes(other),
    isCovered: (country) => structuresOf(country) !== undefined,
    countryNames: (country) => [snapshot.countryByCode.get(country).entry.name, ...(namesOfCountry.get(country) ?? [])],
    /** The most populous city with this folded name, as its main name or else as another one. Throws if there is none. */
    cityNamed(country, folded) {
      const cities = citiesByCountry.get(country);
      const city =
        cities.find(({ name, asciiName }) => [name, asciiName].some((text) => foldText(text) === folded)) ??
        cities.find(({ otherNames }) => otherNames.some((text) => foldText(text) === folded));
      if (city === undefined) throw new Error(`the gazetteer has no ${folded} in ${country}: is it cities500?`);
      return city;
    },
    drawCity,
    /** A place with a code where an address in the city could be; undefined if the point drawn has none. */
    placeInCity(city, { random }) {
      const km = radiusOf(city) * Math.sqrt(random());
      const angle = random() * 2 * Math.PI;
      const latitude = city.latitude + (km * Math.cos(angle)) / KM_PER_DEGREE;
      const longitude =
        city.longitude + (km * Math.sin(angle)) / (KM_PER_DEGREE * Math.max(0.1, Math.cos((latitude * Math.PI) / 180)));
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
      const place = asker.nearest({ latitude, longitude }, city.countryCode)?.place;
      return place !== undefined && kmBetween(place, city) <= REACH_KM ? place : undefined;
    },
    /** A place of a code drawn from all codes of the country alike. */
    drawPlace(country, { below }) {
      const structures = structuresOf(country);
      const places = codePlaces(structures.postcodes, below(structures.postcodes.codeCount));
      return asker.placeAt(country, pathOf(structures.renderedPlaces, places[below(places.length)]));
    },
    codesOf: (country) => {
      const { postcodes } = structuresOf(country);
      return Array.from({ length: postcodes.codeCount }, (_, code) => codeText(postcodes, code));
    },
    /** The first place of the code number `code`. */
    placeOfCode(country, code) {
      const structures = structuresOf(country);
      return parsePlace(structures, codePlaces(structures.postcodes, code)[0]);
    },
    codeInData: (country, typed) => (structuresOf(country) ? asker.codeInData(country, typed) : undefined),
    /** The codes, in lower case, by which people name a unit of a country: `tx`. */
    codesOfUnit(country, path) {
      let codes = unitCodes.get(country);
      if (codes === undefined) {
        codes = readUnitCodes(structuresOf(country));
        unitCodes.set(country, codes);
      }
      return codes.get(path) ?? [];
    },
  };
}

function readUnitCodes({ contexts, renderedPlaces }) {
  const codes = new Map();
  for (const [at, unit] of contexts.units.entries()) {
    const bytes = contexts.text.subarray(contexts.textStarts[at + 1], contexts.textStarts[at + 2]);
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    const mark = String.fromCharCode(CODE_MARK);
    codes.set(
      pathOf(renderedPlaces, unit),
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1)),
    );
  }
  return codes;
}
