/** What a run of the program touches besides files, stores and the network. Tests put their own in its place. */

import { writeOutput } from '../build-index/reporting/printing.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of the standard input; the process's own where this is left out. */
  readonly readInput?: () => Promise<Uint8Array>;
}

export const PROCESS_SURROUNDINGS: Surroundings = {
  env: process.env,
  clock: Date.now,
  writeOut: writeOutput,
  writeError: (text) => void process.stderr.write(text),
};
