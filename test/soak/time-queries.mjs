/**
 * `node test/soak/time-queries.mjs <snapshot> <runs>`: takes queries as JSON on standard input, and prints for each the
 * microseconds of processor time that its suggestions take, the best of so many runs in each of ROUNDS. A process of its own, because code
 * that has run over arrays that count their reads is compiled for these and slow.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROUNDS = 20;
const ROOT = resolve(import.meta.dirname, '../..');
const { openSnapshot } = await import(join(ROOT, 'dist/src/core/snapshot/snapshot.js'));
const { findSuggestions } = await import(join(ROOT, 'dist/src/core/suggest/suggest.js'));

const [file, runs] = process.argv.slice(2);
const snapshot = openSnapshot(file);
const queries = JSON.parse(readFileSync(0, 'utf8'));
const times = queries.map(() => Number.POSITIVE_INFINITY);
// In rounds, so that a while in which the processor is slow is a part of each query's runs and not all.
for (let round = 0; round < ROUNDS; round++) {
  queries.forEach(({ text, country, limit }, at) => {
    const only = country === undefined ? undefined : snapshot.countryByCode.get(country);
    for (let run = 0; run < Number(runs); run++) {
      const before = process.cpuUsage();
      findSuggestions(snapshot, text, { countries: only && [only] }, limit);
      const { user, system } = process.cpuUsage(before);
      times[at] = Math.min(times[at], user + system);
    }
  });
}
process.stdout.write(JSON.stringify(times));
