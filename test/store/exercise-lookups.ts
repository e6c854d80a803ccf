/**
 * Calls every lookup of the store with everything a snapshot holds, and with things it does not hold; suggestions too,
 * whose search goes from one lookup to the next.
 */

import type { NameIndex } from '../../src/format/name-index.js';
import { decodePlaceIds, ID_BYTES, idAt } from '../../src/format/place-id.js';
import { levelOf } from '../../src/format/place-tree.js';
import { suggest } from '../../src/service/suggest.js';
import { countryDetailJson, countryRangeJson } from '../../src/store/country-answers.js';
import { findById } from '../../src/store/id-index.js';
import { correctOnce, findSimilar } from '../../src/store/name-corrections.js';
import { bestRanks, findEntries, findName, hasWords, nameOf, ranksOfName } from '../../src/store/name-index.js';
import { findByPath } from '../../src/store/path-trie.js';
import { openPlaceJson, pathBytes, placeFieldsJson, placeJson, placeRangeJson } from '../../src/store/place-answers.js';
import { ContextMatcher } from '../../src/store/place-contexts.js';
import { orderedPlaces } from '../../src/store/place-orders.js';
import { childRange, levelRange, listAncestors } from '../../src/store/place-tree.js';
import { findNearest } from '../../src/store/point-index.js';
import { codePlaces, codeText, findPostcode } from '../../src/store/postcode-index.js';
import type { Country, CountryStructures, Snapshot } from '../../src/store/snapshot.js';

const QUERIES = ['a', 'ca', 'canillo', 'bad balzers', 'balsers', 'n', 'neustein', 'neustiein', 'zzz', '0'];
/** Names in what they lie in, words in another order, and typing errors in them. */
const LONG_QUERIES = ['canillo ad', 'andorra sold', 'soldue vall', 'balzers bad', 'neustene deutschland', 'canilo ddd'];
const CONTEXTS = [['ad'], ['vall', 'canillo'], ['can', 'and'], ['deutschland', 'bayern', 'x', 'de']];
const PATHS = [['canillo'], ['canillo', 'vall', 'sol', 'soldeu'], ['encamp', 'port', 'pas'], ['bad-balzers'], ['zzz']];
const POINTS = [
  [42.57, 1.66],
  [47.1, 9.5],
  [0, 0],
  [90, 0],
  [-90, 180],
] as const;

type Attempt = (lookup: () => unknown) => void;

/** What a lookup that failed threw; lookups of a sound snapshot throw nothing. */
export function exerciseLookups(snapshot: Snapshot): unknown[] {
  const thrown: unknown[] = [];
  const attempt: Attempt = (lookup) => {
    try {
      lookup();
    } catch (error) {
      thrown.push(error);
    }
  };
  snapshot.countries.forEach((country, number) => {
    const { structures } = country;
    attempt(() => countryDetailJson(snapshot.countryAnswers, number));
    attempt(() => countryRangeJson(snapshot.countryAnswers, 0, number));
    if (structures === undefined) return;
    exerciseCountry(structures, snapshot, attempt);
    exerciseNames(structures.names, attempt);
    exerciseContexts(country, structures, attempt);
    for (const query of [...QUERIES, ...LONG_QUERIES]) attempt(() => suggest(snapshot, [query], country, 25));
  });
  exerciseNames(snapshot.worldNames, attempt);
  for (const query of [...QUERIES, ...LONG_QUERIES])
    attempt(() => suggest(snapshot, [query, query.slice(1)], undefined, 25));
  return thrown;
}

function exerciseCountry(structures: CountryStructures, { pointPositions }: Snapshot, attempt: Attempt): void {
  const { tree, ids, answers, postcodes, orders, points } = structures;
  for (let place = 0; place < Math.min(tree.placeCount, 50); place++) {
    const id = idAt(tree.ids, place);
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
}

function exerciseNames(index: NameIndex, attempt: Attempt): void {
  for (const query of QUERIES) {
    const text = Buffer.from(query);
    attempt(() => findName(index, text));
    attempt(() => {
      const entries = findEntries(index, text);
      return [nameOf(index, entries, text), bestRanks(index, entries)];
    });
    attempt(() => correctOnce(index, text));
    attempt(() => findSimilar(index, text));
  }
  const words = ['ba', 'n', 's'].map((word) => Buffer.from(word));
  for (const name of firstAndLast(index.nameCount)) {
    attempt(() => ranksOfName(index, name));
    attempt(() => hasWords(index, name, words));
    attempt(() => hasWords(index, name, words.slice(1, 2)));
  }
}

function exerciseContexts(country: Country, structures: CountryStructures, attempt: Attempt): void {
  for (const words of CONTEXTS) {
    const matcher = new ContextMatcher(words);
    for (const place of firstAndLast(structures.tree.placeCount)) {
      attempt(() => matcher.match(country, structures, place));
    }
  }
}

/** The first fifty and the last fifty of so many numbers. */
function firstAndLast(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter((number) => number < 50 || number >= count - 50);
}
