/**
 * Worker threads that can be ended at any moment. Node aborts the whole process, by SIGABRT, where a thread is terminated
 * while it loads a native module such as koffi's: so a thread tells on a port of its own when its program is loaded, and
 * is terminated after that only.
 */
import { once } from 'node:events';
import { MessageChannel, type MessagePort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';

export interface Thread {
  readonly worker: Worker;
  /** Terminates the thread as soon as its program is loaded; whatever the thread is doing then is cut short. */
  end(): Promise<void>;
}

/** Starts a program that calls `tellLoaded`. */
export function startThread(program: URL, resourceLimits: ResourceLimits = {}): Thread {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const worker = new Worker(program, { resourceLimits, workerData: { loaded: theirs }, transferList: [theirs] });
  // A program that fails to load closes its port.
  const loaded = Promise.race([once(ours, 'message'), once(ours, 'close')]);
  ours.unref();
  return {
    worker,
    end: async () => {
      ours.ref();
      await loaded;
      ours.close();
      await worker.terminate();
    },
  };
}

/** Called by the program of a thread when all its modules are loaded. */
export function tellLoaded(): void {
  const { loaded } = workerData as { readonly loaded: MessagePort };
  loaded.postMessage('loaded');
  loaded.close();
}
