/**
 * A program of its own: `node --expose-gc --min-semi-space-size=64 --max-semi-space-size=64 allocation-program.mjs
 * <snapshot>` prints a JSON array of the bytes that each lookup of lookups.mjs allocates (null for one without inputs), on the
 * heap and in the buffers beside it: by how much both grow over a batch of different inputs in which nothing is collected, divided by the inputs.
 * So large a young generation holds a batch, and a batch in which the collector ran all the same is done again with half
 * the inputs. Medians of several batches, since compiling allocates too.
 */
import { GCProfiler } from 'node:v8';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';
import { median } from '../measuring.mjs';
import { ask, last, repeated } from './asking.mjs';
import { listLookups } from './lookups.mjs';
import { WARM_UP } from './timing.mjs';

const BATCH = 200;
const BATCHES = 7;

const snapshot = openSnapshot(process.argv[2]);
const found = listLookups(snapshot, WARM_UP + BATCH * BATCHES).map(({ useCase, inputs }) =>
  inputs.length === 0 ? null : bytesOf(useCase, inputs),
);
process.stdout.write(`${JSON.stringify(found)}\n`);

function bytesOf(useCase, inputs) {
  const all = repeated(inputs, WARM_UP + BATCH * BATCHES);
  for (const input of all.slice(0, WARM_UP)) ask(snapshot, useCase, input);
  return median(
    Array.from({ length: BATCHES }, (_, batch) => {
      const start = WARM_UP + batch * BATCH;
      return allocatedBy(useCase, all.slice(start, start + BATCH));
    }),
  );
}

function allocatedBy(useCase, inputs) {
  const empty = growth(useCase, []).bytes;
  for (let count = inputs.length; count > 0; count >>= 1) {
    const { bytes, wasCollected } = growth(useCase, inputs.slice(0, count));
    if (!wasCollected) return (bytes - empty) / count;
  }
  throw new Error(`one lookup, ${useCase}, allocates more than the young generation holds`);
}

/** By how many bytes heap and buffers grow while the inputs are asked for, and whether the collector ran meanwhile. */
function growth(useCase, inputs) {
  last.answer = undefined;
  globalThis.gc({ type: 'minor' });
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.memoryUsage();
  for (const input of inputs) ask(snapshot, useCase, input);
  const after = process.memoryUsage();
  const wasCollected = profiler.stop().statistics.length > 0;
  return { bytes: after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers, wasCollected };
}
