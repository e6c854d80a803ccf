/** A connection to Redis that carries keys of an earlier layout over before the first other command. */

import type { RedisClient } from '../../storage/redis/redis-client.js';
import { withoutBudget } from '../../storage/redis/wait-budget.js';

/** `carryOver` runs once, and again where it failed: then the command that waited for it fails alike. */
export function afterCarryOver(client: RedisClient, carryOver: () => Promise<void>): RedisClient {
  let isDone = false;
  let running: Promise<void> | undefined;
  const run = (send: () => Promise<unknown>): Promise<unknown> => {
    if (isDone) return send();
    running ??= withoutBudget(carryOver).then(
      () => {
        isDone = true;
      },
      (error) => {
        running = undefined;
        throw error;
      },
    );
    return running.then(send);
  };
  return {
    description: client.description,
    isReady: () => client.isReady(),
    lastProblem: () => client.lastProblem(),
    whenReady: (limitMs) => client.whenReady(limitMs),
    onChange: (listener) => client.onChange(listener),
    run: (command, ...args) => run(() => client.run(command, ...args)),
    runScript: (script, keys, args) => run(() => client.runScript(script, keys, args)),
    close: () => client.close(),
  };
}
