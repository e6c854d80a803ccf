/**
 * A process of its own, `node memory-samples.mjs <pid> <ms>`, that prints the private memory of another process once in so
 * many milliseconds, in bytes, one line each: the kernel takes tens of milliseconds for each, in which who measures latencies
 * must not wait.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { memoryOf } from '../../fixtures/process-figures.mjs';

const [pid, everyMs] = process.argv.slice(2).map(Number);

for (;;) {
  console.log(memoryOf(pid).ownBytes);
  await wait(everyMs);
}
