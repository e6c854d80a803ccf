/**
 * How long lookups take, each timed by itself, of several snapshots in turn. No input is asked twice where there are enough
 * of them, so what a lookup reads is in no cache of the processor but for what all lookups share: this is what a server
 * sees that is asked for something else each time. The pages of the snapshots must be mapped before (touchPages).
 */
import { ask, repeated } from './asking.mjs';

/** So many of each lookup's inputs only make the compiler ready. */
export const WARM_UP = 1_000;
export const TIMED = 5_000;
/** Of one snapshot, then of the next one: short enough that all have what else the machine does alike. */
const TURN = 100;
const PAGE_BYTES = 4096;

/**
 * Reads a byte of each page of the file that a snapshot maps, so that no lookup is the first to touch a page: that costs
 * once in a process's life, not with each lookup. What it returns has no meaning.
 */
export function touchPages(snapshot) {
  const bytes = new Uint8Array(snapshot.worldNames.nameText.buffer);
  let sum = 0;
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) sum ^= bytes[at];
  return sum;
}

/**
 * For one lookup the figures of each `{ snapshot, inputs }`, in nanoseconds: `p50` and `p99` of the time by the clock, and
 * `mean`, the mean of the processor time, collecting garbage included: a mean by the clock would have in it what other
 * processes took.
 */
export function timeLookup(useCase, runs) {
  const timer = createSeries(() => {});
  const series = runs.map(({ snapshot }) => createSeries((input) => ask(snapshot, useCase, input)));
  const inputs = runs.map((run) => repeated(run.inputs, WARM_UP + TIMED));
  for (let start = 0; start < WARM_UP; start += TURN) {
    runs.forEach(({ snapshot }, index) => {
      for (const input of inputs[index].slice(start, start + TURN)) ask(snapshot, useCase, input);
    });
  }
  for (let start = 0; start < TIMED; start += TURN) {
    // Who comes first finds in the caches what the other one left there.
    const order = runs.map((_, index) => (index + start / TURN) % runs.length);
    for (const index of order) series[index].add(inputs[index].slice(WARM_UP + start, WARM_UP + start + TURN));
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
  let cpuMicroseconds = 0;
  return {
    add: (inputs) => {
      const cpuBefore = process.cpuUsage();
      for (const input of inputs) {
        const startedAt = performance.now();
        call(input);
        times.push((performance.now() - startedAt) * 1e6);
      }
      const { user, system } = process.cpuUsage(cpuBefore);
      cpuMicroseconds += user + system;
    },
    figures: () => {
      const sorted = Float64Array.from(times).sort();
      const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
      return { p50: at(0.5), mean: (cpuMicroseconds * 1000) / sorted.length, p99: at(0.99) };
    },
  };
}
