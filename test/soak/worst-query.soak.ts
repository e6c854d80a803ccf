/**
 * The worst that somebody can ask autocomplete for, looked for in the release of 2026-03 and not guessed: seeded climbs
 * over texts of its words, which are put in, taken out, replaced, cut, given umlauts and mistyped. A climb goes to where a
 * query reads the most, so it is the same on every machine. No query may spend more than its budget, nor read more than
 * that can stand for; the processor time of the worst is printed, and is less than a millisecond. Then the worst of every
 * endpoint, by processor time, among random requests: the rate counts on what these take. Takes the snapshots of
 * WORLD_BUILDS, or compiles them.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { listNames } from '../../src/core/snapshot/name-index.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { MAX_WORK, WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { findSuggestions } from '../../src/core/suggest/suggest.js';
import { countReads } from '../fixtures/counted-reads.js';
import { createRandom } from '../fixtures/random.mjs';
import buildReleases from '../world/build-releases.js';
import { buildsFolder, count, pick, printFigures, snapshotFile } from '../world/world.js';

const CLIMBS = 20;
const STEPS = 100;
const LONGEST = 100;
const LIMIT = 25;
/** Most of the reads are of letters, one after the other. */
const READS_PER_UNIT = 6;
/** Other programs take the processor's caches away, and the compiler has work of its own: the best of many is the work. */
const RUNS = 20;
const MOST_MICROSECONDS = 1000;
/** Requests of each endpoint that are tried. */
const REQUESTS = 3_000;
const MOST_MS = 4;
/** For each request of the rate that one counts as. Below 1.6, 200 a second are a third of a processor; the rest is noise. */
const MOST_MS_OF_RATE = 2;
const COUNTRIES = [undefined, undefined, 'US', 'DE', 'PT', 'FR', 'TR', 'PE', 'RU', 'PL'];
const UMLAUTS: Readonly<Record<string, string>> = { a: 'ä', o: 'ö', u: 'ü' };

interface Query {
  readonly words: readonly string[];
  readonly country: string | undefined;
}

interface Climbed extends Query {
  readonly reads: number;
}

let snapshot: Snapshot;
beforeAll(() => {
  if (process.env.WORLD_BUILDS === undefined) buildReleases();
  snapshot = openSnapshot(snapshotFile('2026-03'));
}, 1_800_000);

const textOf = ({ words }: Query): string => words.join(' ').slice(0, LONGEST);

test('no query does more work than its budget allows, nor a millisecond of it', () => {
  const random = createRandom(20260330);
  const below = (end: number): number => Math.floor(random() * end);
  const wordsByCount = listWordsByCount(snapshot);
  const word = (): string => {
    const common = wordsByCount[below(pick(random, [50, 500, 5_000, wordsByCount.length]))] as string;
    return random() < 0.4 ? common.slice(0, 1 + below(4)) : common;
  };
  const { snapshot: counted, take } = countReads(snapshot);
  const readsOf = (query: Query): number => {
    const work = new WorkBudget();
    const only = query.country === undefined ? undefined : counted.countryByCode.get(query.country);
    take();
    findSuggestions(counted, textOf(query), { countries: only && [only] }, LIMIT, work);
    expect(work.spentUnits).toBeLessThanOrEqual(MAX_WORK);
    return take();
  };

  const climbs = Array.from({ length: CLIMBS }, (): Climbed => {
    const start = { words: [word(), word(), word()], country: undefined };
    let best: Climbed = { ...start, reads: readsOf(start) };
    for (let step = 0; step < STEPS; step++) {
      const query = change(best, random, word);
      const reads = readsOf(query);
      if (reads > best.reads) best = { ...query, reads };
    }
    return best;
  });
  const byReads = climbs.toSorted((a, b) => b.reads - a.reads);
  const times = listBestTimes(climbs);
  const longest = Math.max(...times);
  const worst = climbs[times.indexOf(longest)] as Query;
  printFigures(
    `${count(CLIMBS * STEPS)} queries of ${CLIMBS} climbs; most reads ${count(byReads[0]?.reads ?? 0)}, of ` +
      `"${textOf(byReads[0] as Query)}"; longest ${longest} µs of processor time (best of rounds of ${RUNS}), of ` +
      `"${textOf(worst)}" in ${worst.country ?? 'the world'}`,
  );
  expect(byReads[0]?.reads).toBeLessThan(READS_PER_UNIT * MAX_WORK);
  expect(longest).toBeLessThan(MOST_MICROSECONDS);
}, 1_800_000);

interface DearRequest {
  readonly operation: string;
  readonly url: string;
  readonly ms: number;
  readonly rateCost: number;
}

test.each(['2026-03-cities', 'full-codes'])(
  'no request of any endpoint takes long, with %s',
  (build) => {
    const file = join(buildsFolder(), `${build}.snapshot`);
    const args = [join(import.meta.dirname, 'dearest-requests.mjs'), file, '20260330', String(REQUESTS)];
    const found: DearRequest[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    const lines = found.map(
      ({ operation, url, ms, rateCost }) =>
        `${operation}: ${ms.toFixed(2)} ms, counts as ${rateCost}, ${url.slice(0, 200)}`,
    );
    printFigures(lines.join('\n'));
    expect(found.filter(({ ms, rateCost }) => ms > MOST_MS || ms / rateCost > MOST_MS_OF_RATE)).toEqual([]);
  },
  1_800_000,
);

/** The words of all names, those of the most names first. */
function listWordsByCount({ worldNames }: Snapshot): string[] {
  const counts = new Map<string, number>();
  for (const name of listNames(worldNames)) {
    for (const word of name.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}

/** One to three changes of a query, each to one of its words or to the country. */
function change(query: Query, random: () => number, newWord: () => string): Query {
  const below = (end: number): number => Math.floor(random() * end);
  let { words, country } = query;
  for (let left = 1 + below(3); left > 0; left--) {
    const at = below(words.length);
    const word = words[at] as string;
    const [cut, letter] = [below(word.length + 1), String.fromCharCode(97 + below(26))];
    const replace = (by: string): string[] => words.with(at, by);
    words = pick(random, [
      () => words.toSpliced(at, 0, newWord()),
      () => (words.length > 1 ? words.toSpliced(at, 1) : words),
      () => replace(newWord()),
      () => replace(word.slice(0, Math.max(1, cut))),
      () => words.toSpliced(at, 1).toSpliced(below(words.length), 0, word),
      () => replace(word.replace(/[aou]/, (vowel) => UMLAUTS[vowel] as string)),
      () => replace(word.slice(0, cut) + letter + word.slice(cut + below(2))),
    ])();
    if (random() < 0.1) country = pick(random, COUNTRIES);
  }
  return { words, country };
}

/** Microseconds of processor time for each query, the best of RUNS in each of some rounds. */
function listBestTimes(queries: readonly Query[]): number[] {
  const program = join(import.meta.dirname, 'time-queries.mjs');
  const input = JSON.stringify(queries.map((query) => ({ text: textOf(query), country: query.country, limit: LIMIT })));
  const args = [program, snapshotFile('2026-03'), String(RUNS)];
  return JSON.parse(execFileSync(process.execPath, args, { input, encoding: 'utf8' }));
}
