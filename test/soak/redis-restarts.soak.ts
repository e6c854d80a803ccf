/**
 * Two servers under load while their Redis is killed, stopped and restarted: whatever happens to Redis, good keys are
 * served, bad keys are not, nothing is counted twice, no request of an outage is counted, and no quota is exceeded. Of
 * what was counted only that is lost which Redis itself lost: at most what it had confirmed in the last second before a
 * kill, and nothing where it writes before it answers and its file stays whole.
 * All of it takes two to three minutes, longer on a busy machine; SOAK_SEED chooses another course of it.
 */
import { afterEach, expect, test } from '@jest/globals';
import { type Course, type CourseOptions, runCourse } from './course.js';
import { printUsageTotals } from './print-usage-totals.js';
import { type AppendFsync, errorsOf, type Scene, setScene } from './scene.js';
import { computeUsageTotals } from './usage-totals.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);

let scene: Scene | undefined;

afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

async function soak(appendfsync: AppendFsync, options: Omit<CourseOptions, 'scene' | 'seed'>) {
  scene = await setScene(appendfsync);
  const course = await runCourse({ scene, seed: SEED, ...options });
  await expectGoodBooks(scene, course, `appendfsync ${appendfsync}, seed ${SEED}`);
  return course;
}

async function expectGoodBooks({ servers, stopServers }: Scene, course: Course, title: string): Promise<void> {
  const exitCodes = await stopServers();
  const totals = computeUsageTotals(course.evidence);
  printUsageTotals(title, totals, course);
  expect(Object.entries(totals.violations).filter(([, found]) => found > 0)).toEqual([]);
  expect(servers.flatMap(errorsOf)).toEqual([]);
  const stderr = servers.map(({ program }) => program.stderr());
  expect({ exitCodes, stderr }).toEqual({ exitCodes: [0, 0], stderr: ['', ''] });
}

test('a Redis that syncs every second loses at most that second', async () => {
  const faults = { kill: 11, 'power cut': 5, 'stop, then kill': 4, 'stop, then go on': 3 };
  const { evidence } = await soak('everysec', { faults, mayLoseUnwritten: true, revokeAt: 8, exhaustAt: 14 });
  expect(evidence.kills.length).toBeGreaterThanOrEqual(20);
});

test('a Redis that writes before it answers loses nothing', async () => {
  const faults = { kill: 2, 'stop, then kill': 2, 'stop, then go on': 2 };
  await soak('no', { faults, mayLoseUnwritten: false, revokeAt: 1, exhaustAt: 4 });
});
