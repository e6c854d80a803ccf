/**
 * Shows the progress of a long command: a progress bar on a terminal, otherwise one plain line for each phase. Writes
 * to standard error, so that standard output contains only the report.
 */

import { SingleBar } from 'cli-progress';
import { escapeUnprintable } from '../../src/base/escape-text.js';

export interface Progress {
  /** Begins a phase of `total` steps and ends the previous one. */
  start(phase: string, total: number): void;
  /** Counts a finished step; `label` names it. */
  step(label: string): void;
  /** Shows the progress within the current step; only the bar displays it. */
  note(label: string): void;
  stop(): void;
}

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? createBar(stream) : createLines(stream);
}

function createBar(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | undefined;
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    start(phase, total) {
      stop();
      bar = new SingleBar({
        format: `${phase.padEnd(18)} {bar} {value}/{total} {label}`,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        stream,
      });
      bar.start(total, 0, { label: '' });
    },
    step(label) {
      bar?.increment({ label: escapeUnprintable(label) });
    },
    note(label) {
      bar?.update({ label: escapeUnprintable(label) });
    },
    stop,
  };
}

function createLines(stream: NodeJS.WriteStream): Progress {
  let done = 0;
  let current: { phase: string; total: number; startedAt: number } | undefined;
  const stop = (): void => {
    if (current === undefined) return;
    const seconds = ((performance.now() - current.startedAt) / 1000).toFixed(1);
    stream.write(`${current.phase}: ${done} of ${current.total} done after ${seconds} s\n`);
    current = undefined;
  };
  return {
    start(phase, total) {
      stop();
      done = 0;
      current = { phase, total, startedAt: performance.now() };
      stream.write(`${phase} …\n`);
    },
    step() {
      done++;
    },
    note() {},
    stop,
  };
}
