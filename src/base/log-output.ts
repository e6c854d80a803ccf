/**
 * The lines of a log on their way out of the process. What can't be written at once is kept; what is kept is bounded, and
 * lines beyond it are dropped and counted. So no reader that is slow or gone and no full disk holds up the process.
 *
 * Pipes and terminals are opened once more, to be written to without waiting: a write that finds them full fails at once.
 * The flag of the descriptor that the process was started with belongs to all processes that share it, and every start of
 * a child clears it. Files, and sockets, which can't be opened again, are written to in libuv's threads.
 */

import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import sonicBoom, { type SonicBoom } from 'sonic-boom';

export interface LogTarget {
  readonly fd: number;
  /** Whether a write fails at once where it would have to wait. */
  readonly neverWaits: boolean;
}

/** Maximum bytes that are kept: some 3,000 lines of the access log. */
const KEPT_BYTES = 1024 * 1024;
/** Bytes of one write to a pipe, PIPE_BUF of Linux: up to here, lines of several processes are not mixed. */
const PIPE_BYTES = 4_096;
/** Bytes of one write in libuv's threads: a busy process comes to one in each turn of its event loop. */
const THREAD_BYTES = 32 * 1024;
/** Milliseconds after which a write that failed is tried again, if no line comes before. */
const RETRY_MS = 100;
/** Milliseconds that the end of the process waits for the log. */
const END_MS = 1_000;

export class LogOutput {
  readonly #stream: SonicBoom;
  #droppedCount = 0;
  #toldCount = 0;
  #hasToldFailure = false;
  /** What became of the last write; undefined while the end of the process waits for one. */
  #outcome: 'written' | 'failed' | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** `tellDropped` writes a line that says how many lines were dropped. */
  constructor(
    { fd, neverWaits }: LogTarget,
    private readonly tellDropped: (count: number) => void,
  ) {
    this.#stream = new sonicBoom.SonicBoom({
      fd,
      sync: neverWaits,
      maxLength: KEPT_BYTES,
      maxWrite: neverWaits ? PIPE_BYTES : THREAD_BYTES,
      // SonicBoom would sleep in this thread.
      retryEAGAIN: () => false,
    });
    this.#stream.on('drop', () => this.#droppedCount++);
    this.#stream.on('write', () => {
      this.#outcome = 'written';
    });
    this.#stream.on('error', (error: NodeJS.ErrnoException) => this.#noteFailure(error));
    this.#onEmpty(() => this.#noteFlow());
  }

  /** The number of lines that were dropped. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  write(line: string): void {
    this.#stream.write(line);
  }

  /** Resolves once all lines are written, or after a second. A process with a thread that waits for longer is killed. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#outcome = undefined;
      const limit = setTimeout(() => {
        // Node waits for its threads, however it is ended from inside.
        if (this.#outcome === undefined) process.kill(process.pid, 'SIGKILL');
        resolve();
      }, END_MS);
      this.#onEmpty(() => {
        clearTimeout(limit);
        resolve();
      });
      this.#writeKept();
    });
  }

  #writeKept(): void {
    this.#stream.write('');
  }

  /** Calls back whenever no line is kept any more. */
  #onEmpty(callback: () => void): void {
    // The event comes a moment late: a later write may have failed.
    this.#stream.on('drain', () => this.#outcome !== 'failed' && callback());
  }

  #noteFlow(): void {
    const count = this.#droppedCount - this.#toldCount;
    this.#toldCount = this.#droppedCount;
    if (count > 0) this.tellDropped(count);
  }

  #noteFailure({ code, message }: NodeJS.ErrnoException): void {
    this.#outcome = 'failed';
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#writeKept();
    }, RETRY_MS).unref();
    if (code === 'EAGAIN' || this.#hasToldFailure) return;
    this.#hasToldFailure = true;
    tellOnStandardError(`the log can't be written (${message}): lines that don't fit into memory are dropped`);
  }
}

function tellOnStandardError(message: string): void {
  try {
    writeSync(process.stderr.fd, `postal-places: ${message}\n`);
  } catch {
    // Standard error ends where the log ends, on the same full disk or with the same reader.
  }
}

export function openStandardOutput(): LogTarget {
  const { fd } = process.stdout;
  const status = fstatSync(fd);
  // Elsewhere, the name leads to the descriptor itself.
  if (process.platform !== 'linux' || !(status.isFIFO() || status.isCharacterDevice()))
    return { fd, neverWaits: false };
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return { fd: openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY), neverWaits: true };
  } catch {
    // It belongs to another user, or nobody reads it any more.
    return { fd, neverWaits: false };
  }
}
