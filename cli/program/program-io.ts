/** What a run of the program touches besides files, stores and the network. Tests put their own in its place. */

import { escapeLines, printOutput } from '../../build-index/reporting/printing.js';
import type { openKeyStore } from '../../src/keys/decision/open-key-store.js';
import { redactApiKeys } from '../../src/keys/key/key-redaction.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of the standard input; the process's own where this is left out. */
  readonly readInput?: () => Promise<Uint8Array>;
  readonly openStore?: typeof openKeyStore;
}

export const PROCESS_SURROUNDINGS: Surroundings = {
  env: process.env,
  clock: Date.now,
  writeOut: printOutput,
  writeError: (text) => void process.stderr.write(text),
};

/* Errors as lines of standard error, each behind the program's name. */

const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** The message as one line. It may repeat arguments, so texts that look like a clear key are redacted. */
export function stderrLine(message: string): string {
  return stderrLines(message.replace(LINE_BREAKING, ' '));
}

/** The same for a message of several lines, such as a list or a stack. */
export function stderrLines(message: string): string {
  return `${escapeLines(redactApiKeys(`postal-places: ${message}`))}\n`;
}
