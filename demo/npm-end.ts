/**
 * Notices that the program that ran `npm start` or `npm run dev`, npm itself as a rule, is gone. It may be killed by a
 * signal that it hands on to nobody (SIGKILL, or SIGHUP when its terminal closes), and this process would keep both ports
 * unseen.
 */

import { setTimeout as wait } from 'node:timers/promises';

/** The scripts of package.json that run until they are stopped. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'dev'];

/** The time between two looks, milliseconds: a new start soon finds the ports free. A look costs a microsecond. */
const LOOK_EVERY_MS = 200;

/**
 * Resolves once this process has another parent than `parentPid`; never where no package manager started it: a user who
 * runs the script itself in the background, under nohup or from a shell that ends, means it to stay. A process whose
 * parent is process 1 from the beginning, as in a container, keeps that parent.
 */
export async function npmEnd(parentPid: number, environment: NodeJS.ProcessEnv): Promise<void> {
  // npm, yarn and pnpm all set it for a script that they run.
  if (!SCRIPTS.includes(environment.npm_lifecycle_event)) return await new Promise(() => {});
  while (process.ppid === parentPid) await wait(LOOK_EVERY_MS, undefined, { ref: false });
}
