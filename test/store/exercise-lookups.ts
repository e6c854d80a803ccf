/** Calls every lookup of the store with everything a snapshot holds, and with things it does not hold. */
import { decodePlaceIds, ID_BYTES } from '../../src/format/place-id.js';
import { levelOf } from '../../src/format/place-tree.js';
import { countryDetailJson, countryRangeJson } from '../../src/store/country-answers.js';
import { findById } from '../../src/store/id-index.js';
import { findRanks } from '../../src/store/name-index.js';
import { findByPath } from '../../src/store/path-trie.js';
import { openPlaceJson, pathBytes, placeFieldsJson, placeJson, placeRangeJson } from '../../src/store/place-answers.js';
import { orderedPlaces } from '../../src/store/place-orders.js';
import { childRange, levelRange, listAncestors } from '../../src/store/place-tree.js';
import { findNearest } from '../../src/store/point-index.js';
import { codePlaces, codeText, findPostcode } from '../../src/store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../../src/store/snapshot.js';

const QUERIES = ['a', 'ca', 'canillo', 'bad', 'balzers', 'n', 'neu', 'zzz', '0'];
const PATHS = [['canillo'], ['canillo', 'vall', 'sol', 'soldeu'], ['encamp', 'port', 'pas'], ['bad-balzers'], ['zzz']];
const POINTS = [
  [42.57, 1.66],
  [47.1, 9.5],
  [0, 0],
  [90, 0],
  [-90, 180],
] as const;

/** What a lookup that failed threw; lookups of a sound snapshot throw nothing. */
export function exerciseLookups(snapshot: Snapshot): unknown[] {
  const thrown: unknown[] = [];
  const attempt = (lookup: () => unknown): void => {
    try {
      lookup();
    } catch (error) {
      thrown.push(error);
    }
  };
  snapshot.countries.forEach(({ structures }, number) => {
    attempt(() => countryDetailJson(snapshot.countryAnswers, number));
    attempt(() => countryRangeJson(snapshot.countryAnswers, 0, number));
    if (structures !== undefined) exerciseCountry(structures, snapshot, attempt);
  });
  for (const query of QUERIES) attempt(() => findRanks(snapshot.worldNames, query, 25));
  return thrown;
}

function exerciseCountry(
  structures: CountryStructures,
  { pointPositions }: Snapshot,
  attempt: (lookup: () => unknown) => void,
): void {
  const { tree, ids, answers, postcodes, orders, points, names } = structures;
  for (let place = 0; place < Math.min(tree.placeCount, 50); place++) {
    const id = tree.ids.subarray(place * ID_BYTES, (place + 1) * ID_BYTES);
    attempt(() => findById(ids, tree, id));
    attempt(() => decodePlaceIds(id));
    attempt(() => [levelOf(tree, place), listAncestors(tree, place)]);
    attempt(() => {
      const { start, end } = childRange(tree, place);
      return placeRangeJson(answers, start, end);
    });
    attempt(() => [placeJson(answers, place), openPlaceJson(answers, place)]);
    attempt(() => [placeFieldsJson(answers, place), pathBytes(answers, place)]);
  }
  attempt(() => findById(ids, tree, new Uint8Array(ID_BYTES).fill(0xaa)));
  for (const slugs of PATHS) attempt(() => findByPath(structures, slugs));
  for (let code = 0; code < Math.min(postcodes.codeCount, 50); code++) {
    attempt(() => findPostcode(postcodes, codeText(postcodes, code)));
    attempt(() => codePlaces(postcodes, code));
  }
  for (const code of ['AD100', 'AD-100', '9490', 'NONE', '']) attempt(() => findPostcode(postcodes, code));
  for (const level of [undefined, 1, 2, 3, 4]) attempt(() => orderedPlaces(orders, tree, level));
  attempt(() => levelRange(tree, 4));
  for (const [lat, lng] of POINTS) attempt(() => findNearest(points, pointPositions, { lat, lng, radiusKm: 80 }));
  for (const query of QUERIES) attempt(() => findRanks(names, query, 25));
}
