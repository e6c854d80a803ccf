/** Runs programs of Node for the scripts, and ends a script whose program has failed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Rejects with an error whose `ended` is the status of a program that fails, or the signal that ended it. */
export async function runNode(args, stdio, options = {}) {
  const [status, signal] = await once(spawn(process.execPath, args, { stdio, ...options }), 'close');
  const ended = status ?? signal;
  if (ended !== 0) throw Object.assign(new Error(`${args[0]} was ended by ${ended}`), { ended });
}

/** Ends the process where a program fails that `task` runs. */
export async function orEnd(task) {
  try {
    await task();
  } catch (error) {
    if (error.ended === undefined) throw error;
    // A program that ends by itself has said what is wrong.
    if (typeof error.ended === 'string') process.stderr.write(`postal-places: ${error.message}\n`);
    process.exit(1);
  }
}
