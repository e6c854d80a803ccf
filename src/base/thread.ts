/**
 * Worker threads that can be ended at any moment. Node aborts the whole process by SIGABRT if a thread is terminated
 * while it loads a native module or runs native code. So a shared word of memory says whether native code runs in the
 * thread, and `end` waits for it.
 */

import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type ResourceLimits, Worker, workerData } from 'node:worker_threads';

export interface Thread {
  readonly worker: Worker;
  /** Terminates the thread as soon as no native code runs in it. */
  end(): Promise<void>;
}

/** Whose turn it is. A thread begins in native code: its program is being loaded. An ended one gets no other turn. */
const [FREE, NATIVE, ENDED] = [0, 1, 2];
const LOOK_MS = 1;

/** Starts a program that calls `tellLoaded`. */
export function startThread(program: URL, resourceLimits: ResourceLimits = {}): Thread {
  const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(NATIVE);
  const worker = new Worker(program, { resourceLimits, workerData: { [TURN]: turn } });
  // A program that fails to load never gives its turn back.
  let hasExited = false;
  worker.once('exit', () => {
    hasExited = true;
  });
  return {
    worker,
    end: async () => {
      while (!hasExited && Atomics.compareExchange(turn, 0, FREE, ENDED) === NATIVE) await wait(LOOK_MS);
      await worker.terminate();
    },
  };
}

/** Lowers the priority of this thread, and of those that it starts; of the whole process where the system is not Linux. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A system call filter may forbid it; the work is done without.
  }
}

/** Its key in `workerData`, which in the threads of a program that uses the library has what that program gives. */
const TURN = 'postalPlacesTurn';

/** Of the thread that this module is loaded in; undefined where `startThread` did not start it. */
const ownTurn = (workerData as { readonly [TURN]?: Int32Array } | null)?.[TURN];
let isOurs = ownTurn !== undefined;

/** Called by the program of a thread when all its modules are loaded. */
export function tellLoaded(): void {
  if (ownTurn === undefined) throw new Error('this thread was started by another module');
  isOurs = false;
  Atomics.store(ownTurn, 0, FREE);
}

/**
 * Calls native code: the thread is not ended before the call returns. A thread that has been ended waits here for good.
 */
export function callNative<T>(call: () => T): T {
  if (ownTurn === undefined || isOurs) return call();
  while (Atomics.compareExchange(ownTurn, 0, FREE, NATIVE) !== FREE) Atomics.wait(ownTurn, 0, ENDED);
  isOurs = true;
  try {
    return call();
  } finally {
    isOurs = false;
    Atomics.store(ownTurn, 0, FREE);
  }
}
