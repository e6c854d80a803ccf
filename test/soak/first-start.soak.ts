/**
 * First starts that are killed with SIGKILL at seeded moments: over the time that one takes, or within milliseconds after
 * a change in the folder that is followed. Nothing of a killed start stays, and the next start, over what it left, has
 * all countries in service. FIRST_START_KILLS says how many.
 */

import { type FSWatcher, mkdirSync, readdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readCurrent } from '../../src/releases/find-snapshot.js';
import { expectWhole, type Landings, note } from '../fixtures/kills.js';
import { descendantsOf, isRunning } from '../fixtures/program.js';
import { createRandom } from '../fixtures/random.mjs';
import type { ServerProgram } from '../fixtures/server-program.js';
import { createSmallPackage, type SmallPackage } from '../fixtures/small-package.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { printFigures } from '../world/world.js';

const KILLS = Number(process.env.FIRST_START_KILLS ?? 200);
const IN_SERVICE = /All 3 countries are in service/;

let small: SmallPackage;
let places: string;
beforeAll(() => {
  small = createSmallPackage({ hasStarter: true });
  places = join(small.root, 'var/places');
});
afterAll(() => small?.remove());

const start = (): ServerProgram => small.start(['start'], { PORT: '0', SITE_PORT: '0', DRAIN_SECONDS: '1' });

/** Ends a start by the signal, and waits until nothing of it runs. */
async function end(program: ServerProgram, signal: NodeJS.Signals): Promise<void> {
  const pid = program.process.pid as number;
  const processes = [pid, ...descendantsOf(pid)];
  program.process.kill(signal);
  await waitUntil('every process to end', () => !processes.some(isRunning));
}

function clear(): void {
  rmSync(places, { recursive: true, force: true });
  mkdirSync(places, { recursive: true });
}

test(
  `${KILLS} killed starts`,
  async () => {
    const random = createRandom(45);
    clear();
    let changeCount = 0;
    const watcher = watch(places, () => {
      changeCount++;
    });
    const startedAt = performance.now();
    const whole = start();
    await whole.waitFor(IN_SERVICE);
    const wholeMs = performance.now() - startedAt;
    watcher.close();
    await end(whole, 'SIGTERM');
    const landings: Landings = {};
    for (let killed = 0; killed < KILLS; killed++) {
      // Some follow another killed start.
      if (random() < 0.8) clear();
      const program = start();
      await momentOf(random, wholeMs, changeCount);
      await end(program, 'SIGKILL');
      const current = readCurrent(places) ?? 'nothing';
      note(
        landings,
        `${current.split('-')[0]} in service, ${readdirSync(places).length > 2 ? 'more' : 'no more'} files`,
      );
      const next = start();
      await inService(next, landings);
      await end(next, 'SIGTERM');
      expect(next.stderr()).toBe('');
      await expectWhole(places);
      expect(readdirSync(places).filter((name) => /\.partial|\.new$/.test(name))).toEqual([]);
    }
    printFigures(`killed first starts: ${JSON.stringify(landings)}`);
  },
  KILLS * 60_000,
);

/** A start that is not in service in time ends, and the error has what it said and left. */
async function inService(program: ServerProgram, landings: Landings): Promise<void> {
  try {
    await program.waitFor(IN_SERVICE);
  } catch (error) {
    const left = readdirSync(places).join();
    const said = `${program.stdout()}${program.stderr()}`;
    await end(program, 'SIGKILL');
    throw new Error(`${error} after ${JSON.stringify(landings)}; ${left} are left; it said ${said}`);
  }
}

/** Resolves at a moment of a start: a share of its time, or soon after one of its changes. */
async function momentOf(random: () => number, wholeMs: number, changeCount: number): Promise<void> {
  const [byTime, afterMs] = [random() < 0.4, random() * wholeMs];
  const [atChange, thenMs] = [1 + Math.floor(random() * changeCount), random() * 5];
  if (byTime) return await wait(afterMs);
  let watcher: FSWatcher | undefined;
  const changed = new Promise<void>((resolve) => {
    let count = 0;
    watcher = watch(places, () => {
      if (++count === atChange) resolve();
    });
  });
  // A start over what another one left makes fewer changes.
  await Promise.race([changed.then(() => wait(thenMs)), wait(wholeMs)]);
  watcher?.close();
}
