/**
 * What suggestions cost inside the process, warm, and what FlexSearch takes for the same names. Queries: every two- and
 * three-letter prefix that occurs, every first word, 10,000 full names and every prefix of 10,000 two-word starts, for the
 * world and for one country, limit 10; then what nothing matches. Microseconds of each call by itself; medians of three
 * rounds. FlexSearch gets the names in the order of their rank, its own way to put the important first. Takes about three
 * minutes and 2 GB.
 */
import { Index } from 'flexsearch';
import { listNames } from '../../../dist/src/core/snapshot/name-index.js';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';
import { autocomplete } from '../../../dist/src/core/suggest/autocomplete.js';
import { createRandom } from '../../fixtures/random.mjs';
import { count, median, printTable } from '../measuring.mjs';

const ROUNDS = 3;
const LIMIT = 10;
const SAMPLE = 10_000;
/** FlexSearch takes up to 0.2 s for some queries. */
const PEER_SAMPLE = 200;

/** Prints a table for the world and one for a country. Throws where the snapshot has no places in that. */
export function compareWithFlexSearch(file, countryCode = 'US') {
  const snapshot = openSnapshot(file);
  const country = snapshot.countryByCode.get(countryCode);
  if (country?.structures === undefined) throw new Error(`the snapshot has no places in ${countryCode}`);
  measureSuggestions(snapshot, 'the world', undefined, snapshot.worldNames);
  measureSuggestions(snapshot, countryCode, countryCode, country.structures.names);
}

function measureSuggestions(snapshot, title, only, index) {
  const names = listNames(index);
  const kinds = queriesOf(names);
  const all = Object.values(kinds).slice(0, -1).flat();
  const peer = indexByFlexSearch(index, names);
  process.stdout.write(`Suggestions, ${title}: ${count(names.length)} names; FlexSearch built in ${peer.seconds} s\n`);
  const ask = (query) => autocomplete(snapshot, { query, country: only, limit: LIMIT });
  const row = (kind, queries) => {
    const ours = measure(queries, ask);
    const theirs = measure(sample(queries, PEER_SAMPLE), (query) => peer.index.search(query, LIMIT));
    const ratio = (of) => `${(theirs[of] / ours[of]).toFixed(1)}×`;
    return [kind, count(queries.length), ...figures(ours), ...figures(theirs), ratio('p50'), ratio('p99')];
  };
  printTable(
    ['queries', 'count', 'p50 µs', 'p99 µs', 'most µs', 'FlexSearch p50', 'p99', 'most', 'p50', 'p99'],
    [...Object.entries(kinds).map(([kind, queries]) => row(kind, queries)), row('all that occur', all)],
  );
}

function queriesOf(names) {
  const random = createRandom(20260330);
  const pick = () => names[Math.floor(random() * names.length)];
  const firstWords = new Set(names.map((name) => name.split(' ', 1)[0]).filter((word) => word.length > 0));
  const prefixes = (length) => [
    ...new Set(names.filter((name) => name.length >= length).map((name) => name.slice(0, length).trimEnd())),
  ];
  const twoWordPrefixes = new Set();
  for (const [one, two] of names.filter((name) => name.includes(' ')).length > 0 ? pairs(SAMPLE) : []) {
    for (let length = 1; length <= two.length; length++) twoWordPrefixes.add(`${one} ${two.slice(0, length)}`);
  }
  function* pairs(wanted) {
    for (let found = 0; found < wanted; ) {
      const words = pick().split(' ');
      if (words.length < 2) continue;
      found++;
      yield words;
    }
  }
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  const scramble = (name) => `${name.slice(0, 5)}${letter()}q${letter()}${name.slice(5)}x`;
  return {
    'two letters': prefixes(2),
    'three letters': prefixes(3),
    'first words': [...firstWords],
    'full names': Array.from({ length: SAMPLE }, pick),
    'two words, the second cut': [...twoWordPrefixes],
    'nothing matches': Array.from({ length: 2_000 }, () => scramble(pick())),
  };
}

/** Names in the order of their best rank, forward prefixes of every word: its counterpart of the prefix index. */
function indexByFlexSearch(index, names) {
  const startedAt = performance.now();
  const peer = new Index({ tokenize: 'forward', cache: false, encode: (text) => text.split(' ') });
  const order = names.map((_, name) => name).sort((a, b) => bestRank(index, a) - bestRank(index, b));
  for (const name of order) peer.add(name, names[name]);
  return { index: peer, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) };
}

function bestRank(index, name) {
  return index.ranks[index.rankStarts[name]];
}

/** Microseconds at the median, at 99 % and at most, of each call by itself; medians of the rounds after a first one. */
function measure(queries, ask) {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => {
    const times = new Float64Array(queries.length);
    queries.forEach((query, at) => {
      const startedAt = performance.now();
      ask(query);
      times[at] = (performance.now() - startedAt) * 1000;
    });
    times.sort();
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    return { p50: at(0.5), p99: at(0.99), most: times.at(-1) };
  }).slice(1);
  const medianOf = (of) => median(rounds.map((round) => round[of]));
  return { p50: medianOf('p50'), p99: medianOf('p99'), most: medianOf('most') };
}

function figures({ p50, p99, most }) {
  return [p50.toFixed(1), p99.toFixed(1), most >= 1000 ? count(most) : most.toFixed(0)];
}

function sample(list, size) {
  if (list.length <= size) return list;
  return Array.from({ length: size }, (_, at) => list[Math.floor((at * list.length) / size)]);
}
