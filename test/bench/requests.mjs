/**
 * Places drawn at random from a snapshot, and the requests that are made of them: for each of the nine endpoints up to 200
 * different targets (450 texts to complete) that answer 200, and some that answer 404 and 400, with a fixed seed. Places
 * are drawn from all leaves alike, so large countries come as often as they are large; codes from all codes of a country.
 */
import { decodeUtf8 } from '../../dist/src/core/snapshot/byte-string.js';
import { fullCodeAt } from '../../dist/src/core/snapshot/full-codes.js';
import { childRange, listAncestors } from '../../dist/src/core/snapshot/place-tree.js';
import { indexedPostcode } from '../../dist/src/core/snapshot/postcode-index.js';
import { placeJson } from '../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';

/**
 * A function that gives a leaf at random: its country's code, its number, its structures and its object. All leaves are
 * drawn alike, so large countries come as often as they are large.
 */
export function createDraw(snapshot, random) {
  const countries = snapshot.countries.filter(({ structures }) => structures !== undefined);
  const ends = [];
  for (const { structures } of countries) ends.push((ends.at(-1) ?? 0) + structures.postcodes.places.length);
  return () => {
    const position = Math.floor(random() * ends.at(-1));
    const index = ends.findIndex((end) => position < end);
    const { entry, structures } = countries[index];
    const number = structures.postcodes.places[position - (ends[index - 1] ?? 0)];
    return { country: entry.code, structures, number, place: parsePlace(structures, number) };
  };
}

/** The object of a place by its number. */
export function parsePlace({ renderedPlaces }, number) {
  return JSON.parse(decodeUtf8(placeJson(renderedPlaces, number)));
}

/**
 * Functions that give a full code and a first part at random, each with its country, all full codes alike; none in a
 * snapshot without full codes.
 */
export function createFullCodeDraws(snapshot, random) {
  const withFullCodes = snapshot.countries.filter(({ structures }) => structures?.fullCodes !== undefined);
  const total = withFullCodes.reduce((sum, { structures }) => sum + structures.fullCodes.count, 0);
  if (total === 0) return {};
  const draw = () => {
    let number = Math.floor(random() * total);
    for (const { entry, structures } of withFullCodes) {
      if (number < structures.fullCodes.count) return { entry, code: fullCodeAt(structures.fullCodes, number) };
      number -= structures.fullCodes.count;
    }
    throw new Error('no full code');
  };
  return {
    'full codes': () => {
      const { entry, code } = draw();
      return [entry.code, code.postcode];
    },
    'their first parts': () => {
      const { entry, code } = draw();
      return [entry.code, code.postcode.slice(0, code.postcode.lastIndexOf(' '))];
    },
  };
}

const TARGET_COUNT = 200;
/** What is typed differs more than what is asked for otherwise. */
const TEXT_COUNT = 450;
const MAX_DRAWS_EACH = 20;

/** Endpoints in the contract's order, then errors: each with its name, its targets and the status that they answer with. */
export function makeEndpoints(snapshotFile) {
  const snapshot = openSnapshot(snapshotFile);
  const random = createRandom(7);
  const drawPlace = createDraw(snapshot, random);
  const below = (limit) => Math.floor(random() * limit);
  const near = (degrees) => (degrees + (random() - 0.5) / 10).toFixed(4);

  const withData = snapshot.countries.filter(({ structures }) => structures !== undefined);
  const kinds = {
    countries: () => `/v1/countries${['', '?hasPostcodes=true'][below(2)]}`,
    'countries/{c}': () => `/v1/countries/${withData[below(withData.length)].entry.code}`,
    places: () => {
      const { country, structures } = drawPlace();
      const pageCount = Math.ceil(structures.tree.placeCount / 50);
      return `/v1/countries/${country}/places?page=${1 + below(pageCount)}`;
    },
    'places/{id}': () => {
      const { country, place } = drawPlace();
      return `/v1/countries/${country}/places/${place.id}`;
    },
    children: () => {
      const { country, structures, number } = drawPlace();
      const parent = listAncestors(structures.tree, number).at(-1);
      if (parent === undefined) return undefined;
      const { start, end } = childRange(structures.tree, parent);
      const page = 1 + below(Math.ceil((end - start) / 50));
      return `/v1/countries/${country}/places/${parsePlace(structures, parent).id}/children?page=${page}`;
    },
    resolve: () => {
      const { country, place } = drawPlace();
      return `/v1/countries/${country}/resolve?path=${place.path}`;
    },
    'postcodes/{code}': () => {
      const { country, structures } = drawPlace();
      const code = indexedPostcode(structures.postcodes, below(structures.postcodes.codeCount));
      return `/v1/countries/${country}/postcodes/${encodeURIComponent(code)}`;
    },
    autocomplete: () => {
      const { country, place } = drawPlace();
      const query = [...place.name]
        .slice(0, 2 + below(7))
        .join('')
        .trim();
      if (!/\p{L}.*\p{L}/u.test(query)) return undefined;
      return `/v1/autocomplete?q=${encodeURIComponent(query)}${random() < 0.5 ? `&country=${country}` : ''}`;
    },
    reverse: () => {
      const { country, place } = drawPlace();
      return `/v1/reverse?lat=${near(place.latitude)}&lng=${near(place.longitude)}&country=${country}`;
    },
  };
  for (const [name, drawCode] of Object.entries(createFullCodeDraws(snapshot, random))) {
    kinds[`postcodes: ${name}`] = () => {
      const [country, code] = drawCode();
      return `/v1/countries/${country}/postcodes/${encodeURIComponent(code)}`;
    };
  }
  const errors = {
    404: () => {
      const { country } = drawPlace();
      return [
        `/v1/countries/${country}/places/00000000-0000-5000-8000-00000000${1000 + below(9000)}`,
        `/v1/countries/${country}/postcodes/X${below(1e6)}X`,
        `/v1/countries/${country}/resolve?path=/no-such-place-${below(1e6)}`,
      ][below(3)];
    },
    400: () => {
      const { country } = drawPlace();
      return [
        `/v1/countries/${country}/places?page=${-below(1e6)}`,
        `/v1/reverse?lat=${91 + below(1e6)}&lng=0`,
        `/v1/autocomplete?q=x&limit=${below(1e6)}`,
      ][below(3)];
    },
  };
  return [
    ...Object.entries(kinds).map(([name, make]) => {
      const targetCount = name === 'autocomplete' ? TEXT_COUNT : TARGET_COUNT;
      return { name, status: 200, targets: collect(make, targetCount) };
    }),
    ...Object.entries(errors).map(([status, make]) => {
      return { name: `errors ${status}`, status: Number(status), targets: collect(make, TARGET_COUNT) };
    }),
  ];
}

/** Different targets, as many as there are within reason. */
function collect(make, targetCount) {
  const targets = new Set();
  for (let draw = 0; draw < MAX_DRAWS_EACH * targetCount && targets.size < targetCount; draw++) {
    const target = make();
    if (target !== undefined) targets.add(target);
  }
  return [...targets];
}
