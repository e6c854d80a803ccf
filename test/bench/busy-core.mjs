/**
 * Keeps a core busy with whatever nobody else wants of it: what runs on the other cores then meets the same neighbour
 * all the time. Cores that a virtual machine calls two are often one core's two threads, and each slows the other by a
 * third or more while both work; without this, a server whose client or store works harder would look slower itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Looks things up in a table, until its standard input ends. */
const PROGRAM = `
process.stdin.on('end', () => process.exit()).resume();
const table = new Map(Array.from({ length: 20_000 }, (_, index) => ['key ' + index, index]));
let sum = 0;
(function work() {
  for (const key of table.keys()) sum += table.get(key);
  setImmediate(work);
})();
`;

/**
 * Starts that at the scheduler's lowest priority; it ends with this process, or by what this returns, which rejects where
 * it had ended before.
 */
export function keepBusy(core) {
  const command = ['-c', String(core), 'chrt', '--idle', '0', process.execPath, '--eval', PROGRAM];
  const child = spawn('taskset', command, { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`core ${core} was not kept busy: exit code ${child.exitCode}`);
    }
    child.stdin.end();
    await ended;
  };
}
