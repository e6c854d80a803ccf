/**
 * `npm run bench:answers [-- [<part>] [<snapshot>] ...]`: what answers cost inside the process, and how good they are.
 *
 * - `lookups [<snapshot> [<second snapshot>]]`: nanoseconds of each lookup of the contract, by the clock at the median and at
 *   99 %, and as the mean of the processor time, over thousands of inputs drawn from the snapshot's own data
 *   (test/fixtures/lookups.mjs). Of a second snapshot the same, in turn with the first, and the ratio.
 * - `flexsearch [<snapshot> [<country>]]`: suggestions beside FlexSearch with the same names, of the world and of one country
 *   (US). FlexSearch gets the names in the order of their rank. About three minutes and 2 GB for the world.
 * - `suggest [<snapshot> [<cities>]]`: whether suggestions are what people mean who look for a large city (cities.mjs).
 * - `lines [<snapshot> [<cities>]]`: the same of the last lines of addresses (lines.mjs).
 */
import { Index } from 'flexsearch';
import { autocomplete } from '../../dist/src/core/answers/autocomplete.js';
import { service } from '../../dist/src/core/answers/service.js';
import { DomainError } from '../../dist/src/core/lookup/domain-error.js';
import { listNames } from '../../dist/src/core/snapshot/name-index.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { INPUT_COUNT, listLookups } from '../fixtures/lookups.mjs';
import { createRandom } from '../fixtures/random.mjs';
import { measureCities } from './cities.mjs';
import { measureLines } from './lines.mjs';
import { count, cpuMs, fail, median, requireSnapshot, roundCount, runParts, startTable } from './measuring.mjs';

/** So many of each lookup's inputs only make the compiler ready. */
const WARM_UP = 1_000;
/** Inputs of one snapshot, then of the next one: short enough that all have what else the machine does alike. */
const TURN = 100;
const PAGE_BYTES = 4096;
const LIMIT = 10;
const SAMPLE = 10_000;
/** FlexSearch takes up to 0.2 s for some queries. */
const PEER_SAMPLE = 200;
/** The last answer: where it is never looked at, an optimising compiler might leave out what makes it. */
const last = { answer: undefined };

await runParts({
  lookups: measureLookups,
  flexsearch: compareWithFlexSearch,
  suggest: measureCities,
  lines: measureLines,
});

function measureLookups(files) {
  const snapshots = (files.length === 0 ? [undefined] : files).map((file) => openSnapshot(requireSnapshot(file)));
  snapshots.forEach(touchPages);
  const lookups = snapshots.map((snapshot) => listLookups(snapshot));
  const headings = ['p50 ns', 'p99', 'CPU mean'].flatMap((figure) =>
    snapshots.length === 1 ? [figure] : [figure, 'second', 'ratio'],
  );
  const table = startTable(['lookup', 'inputs', ...headings]);
  for (const [at, { useCase, name, inputs }] of lookups[0].entries()) {
    const runs = snapshots.map((snapshot, index) => ({ snapshot, inputs: lookups[index][at].inputs }));
    // A small snapshot has no code of many places.
    if (runs.some((run) => run.inputs.length === 0)) continue;
    const times = timeLookup(useCase, runs);
    const columns = ['p50', 'p99', 'mean'].flatMap((figure) => {
      const values = times.map((one) => one[figure]);
      return [...values.map(count), ...values.slice(1).map((value) => (value / values[0]).toFixed(2))];
    });
    table.row([`${useCase}, ${name}`, count(inputs.length), ...columns]);
  }
  table.end();
}

/**
 * Reads a byte of each page of the file that a snapshot maps, so that no lookup is the first to touch a page: that costs
 * once in a process's life, not with each lookup. What it returns has no meaning.
 */
function touchPages(snapshot) {
  const bytes = new Uint8Array(snapshot.worldNames.nameText.buffer);
  let sum = 0;
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) sum ^= bytes[at];
  return sum;
}

/** An error of the contract is an answer too. */
function ask(snapshot, useCase, input) {
  try {
    last.answer = service[useCase](snapshot, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    last.answer = error;
  }
}

/**
 * The figures of each `{ snapshot, inputs }` in nanoseconds. No input is asked twice where there are enough of them, so what
 * a lookup reads is in no cache of the processor but for what all lookups share, as in a server that is asked for something
 * else each time. The mean is of the processor time: by the clock it would have in it what other processes took.
 */
function timeLookup(useCase, runs) {
  const timer = createSeries(() => {});
  const series = runs.map(({ snapshot }) => createSeries((input) => ask(snapshot, useCase, input)));
  const inputs = runs.map((run) => Array.from({ length: INPUT_COUNT }, (_, at) => run.inputs[at % run.inputs.length]));
  runs.forEach(({ snapshot }, index) => {
    for (const input of inputs[index].slice(0, WARM_UP)) ask(snapshot, useCase, input);
  });
  for (let start = WARM_UP; start < INPUT_COUNT; start += TURN) {
    // Who comes first finds in the caches what the other one left there.
    const order = runs.map((_, index) => (index + start / TURN) % runs.length);
    for (const index of order) series[index].add(inputs[index].slice(start, start + TURN));
    timer.add(Array(TURN));
  }
  const cost = timer.figures();
  return series.map((one) => {
    const { p50, mean, p99 } = one.figures();
    return { p50: p50 - cost.p50, mean: mean - cost.mean, p99: p99 - cost.p50 };
  });
}

/** Times of single calls, added turn by turn. */
function createSeries(call) {
  const times = [];
  let cpuSum = 0;
  return {
    add: (inputs) => {
      const cpuBefore = cpuMs();
      for (const input of inputs) {
        const startedAt = performance.now();
        call(input);
        times.push((performance.now() - startedAt) * 1e6);
      }
      cpuSum += cpuMs() - cpuBefore;
    },
    figures: () => ({ ...percentilesOf(Float64Array.from(times)), mean: (cpuSum * 1e6) / times.length }),
  };
}

function percentilesOf(times) {
  times.sort();
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}

function compareWithFlexSearch([named, countryCode = 'US']) {
  const snapshot = openSnapshot(requireSnapshot(named));
  const country = snapshot.countryByCode.get(countryCode);
  if (country?.structures === undefined) fail(`the snapshot has no places in ${countryCode}; name a country behind it`);
  compareSuggestions(snapshot, 'the world', undefined, snapshot.worldNames);
  compareSuggestions(snapshot, countryCode, countryCode, country.structures.names);
}

function compareSuggestions(snapshot, title, only, index) {
  const names = listNames(index);
  const kinds = queriesOf(names);
  const all = Object.values(kinds).slice(0, -1).flat();
  // Names in the order of their best rank, forward prefixes of every word: the counterpart of the name index.
  const peer = new Index({ tokenize: 'forward', cache: false, encode: (text) => text.split(' ') });
  const bestRanks = names.map((_, name) => index.ranks[index.rankStarts[name]]);
  for (const name of [...names.keys()].sort((a, b) => bestRanks[a] - bestRanks[b])) peer.add(name, names[name]);
  process.stdout.write(`suggestions, ${title}: ${count(names.length)} names\n`);
  const table = startTable(['queries', 'count', 'p50 µs', 'p99 µs', 'FlexSearch p50', 'p99']);
  for (const [kind, queries] of [...Object.entries(kinds), ['all that occur', all]]) {
    const ours = timeQueries(queries, (query) => autocomplete(snapshot, { query, country: only, limit: LIMIT }));
    const step = Math.ceil(queries.length / PEER_SAMPLE);
    const sample = queries.filter((_, at) => at % step === 0);
    const theirs = timeQueries(sample, (query) => peer.search(query, LIMIT));
    const figures = [ours.p50, ours.p99, theirs.p50, theirs.p99].map((microseconds) => microseconds.toFixed(1));
    table.row([kind, count(queries.length), ...figures]);
  }
  table.end();
}

/** All starts that occur, samples of names and of their second words as they are typed, and what nothing matches. */
function queriesOf(names) {
  const random = createRandom(20260330);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const sample = (list, size) => Array.from({ length: list.length === 0 ? 0 : size }, () => pick(list));
  const starts = (length) => [
    ...new Set(names.filter((name) => name.length >= length).map((name) => name.slice(0, length).trimEnd())),
  ];
  const severalWords = names.filter((name) => name.includes(' '));
  const typed = sample(severalWords, SAMPLE).flatMap((name) => {
    const [one, two] = name.split(' ');
    return Array.from(two, (_, at) => `${one} ${two.slice(0, at + 1)}`);
  });
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  return {
    'two letters': starts(2),
    'three letters': starts(3),
    'first words': [...new Set(names.map((name) => name.split(' ', 1)[0]).filter((word) => word !== ''))],
    'full names': sample(names, SAMPLE),
    'two words, the second cut': [...new Set(typed)],
    'nothing matches': sample(names, 2_000).map(
      (name) => `${name.slice(0, 5)}${letter()}q${letter()}${name.slice(5)}x`,
    ),
  };
}

/** Microseconds of each call by itself; medians of the rounds after a first one. */
function timeQueries(queries, call) {
  const rounds = Array.from({ length: roundCount(3) + 1 }, () => {
    const times = queries.map((query) => {
      const startedAt = performance.now();
      call(query);
      return (performance.now() - startedAt) * 1000;
    });
    return percentilesOf(Float64Array.from(times));
  }).slice(1);
  return { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)) };
}
