/**
 * One way to look up in a process of its own, for `bench:library -- library`: `node --expose-gc library-program.mjs <name> <snapshot>
 * <rows> <inputs> <folder of the peers>` prints its figures as JSON; null where it has no such lookup.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { memoryOf } from '../fixtures/process-figures.mjs';
import { cpuMs } from './measuring.mjs';

const [name, snapshot, rows, inputs, peers] = process.argv.slice(2);
/** Milliseconds that the lookups of one kind are repeated for, after all were asked once. */
const TIMED_MS = Number(process.env.BENCH_SECONDS ?? 1) * 1_000;
/** Lookups between two looks at the clock. */
const STEP = 1_000;

/** Each resolves with its lookups, and `find`, one that is the first. */
const WAYS = {
  library: async () => lookupsOf(await openPlaces()),
  'library, as text': async () => lookupsOf((await openPlaces()).json),

  Map: async () => {
    const byCode = new Map();
    for (const row of readRows(rows)) {
      const key = `${row.country} ${row.code}`;
      const list = byCode.get(key);
      if (list === undefined) byCode.set(key, [row]);
      else list.push(row);
    }
    return {
      codes: ([country, code]) => byCode.get(`${country} ${code}`),
    };
  },

  kdt: async () => {
    const { createKdTree } = createRequire(join(peers, 'package.json'))('kdt');
    const tree = createKdTree([...readRows(rows)], distanceKm, ['latitude', 'longitude']);
    return { points: ([latitude, longitude]) => tree.nearest({ latitude, longitude }, 1)[0] };
  },
};

async function openPlaces() {
  const { open } = await import('../../dist/src/library/index.js');
  return await open(snapshot);
}

function lookupsOf(places) {
  return {
    codes: ([country, code]) => places.postcode(country, code),
    'full codes': ([country, code]) => places.postcode(country, code),
    'their first parts': ([country, code]) => places.postcode(country, code),
    points: ([lat, lng]) => places.reverse(lat, lng),
  };
}

/** Haversine, as local-reverse-geocoder gives it to the tree. */
function distanceKm(from, to) {
  const radians = Math.PI / 180;
  const [latitude, longitude] = [to.latitude - from.latitude, to.longitude - from.longitude];
  const cosines = Math.cos(from.latitude * radians) * Math.cos(to.latitude * radians);
  const a = Math.sin((latitude * radians) / 2) ** 2 + cosines * Math.sin((longitude * radians) / 2) ** 2;
  return 6371 * 2 * Math.atan2(Math.sqrt(a), Math.sqrt(1 - a));
}

const asked = JSON.parse(readFileSync(inputs, 'utf8'));
const startedMs = cpuMs();
const lookups = await WAYS[name]();
const [kind] = Object.keys(lookups);
if (lookups[kind](asked[kind][0]) === undefined) throw new Error(`${name} does not find ${asked[kind][0]}`);
const openMs = cpuMs() - startedMs;

const perSecond = Object.fromEntries(
  Object.keys(asked).map((each) => [each, each in lookups ? timeOf(lookups[each], asked[each]) : null]),
);
gc();
const { ownBytes, snapshotBytes } = memoryOf(process.pid);
process.stdout.write(JSON.stringify({ openMs, ownMb: ownBytes / 1e6, snapshotMb: snapshotBytes / 1e6, ...perSecond }));

/** Lookups for each second of processor time, after each input was asked once. */
function timeOf(lookUp, values) {
  let foundCount = 0;
  for (const value of values) if (lookUp(value) !== undefined) foundCount++;
  if (foundCount === 0) throw new Error(`${name} finds nothing`);
  const begunMs = cpuMs();
  const answers = new Array(STEP);
  let askedCount = 0;
  while (cpuMs() - begunMs < TIMED_MS) {
    // The answers are kept, or a compiler might leave out what makes them.
    for (let step = 0; step < STEP; step++) answers[step] = lookUp(values[askedCount++ % values.length]);
  }
  return (askedCount * 1000) / (cpuMs() - begunMs);
}

/** The lines that library.mjs wrote, as a program that has no snapshot would keep them. */
function* readRows(path) {
  const text = readFileSync(path, 'utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const [country, code, name, latitude, longitude] = text.slice(start, end).split('\t');
    yield { country, code, name, latitude: Number(latitude), longitude: Number(longitude) };
    start = end + 1;
  }
}
