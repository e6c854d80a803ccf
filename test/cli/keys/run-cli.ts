/**
 * Runs `postal-places keys` in this process, at a fixed time and with nothing of this process's environment. The stores
 * are of the tests' own making; the check of one that is damaged is in test/keys/records/records-check.test.ts.
 */

import { expect } from '@jest/globals';
import { run as runProgram } from '../../../cli/run.js';
import { openKeyStore } from '../../../src/keys/decision/open-key-store.js';

export const NOW = '2024-02-29T12:34:56.789Z';
export const SECRET = 'thirty-two characters, or a few more';
export const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  team: { requestsPerMonth: 500, requestsPerSecond: 1, burst: 1 },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: string;
  /** What lies in the standard input. */
  readonly input?: string | Uint8Array;
}

export interface RunResult {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { env = {}, now = NOW, input = '' } = options;
  const output = { out: '', error: '' };
  const status = await runProgram(['keys', ...args], {
    env,
    clock: () => Date.parse(now),
    writeOut(text) {
      output.out += text;
    },
    writeError(text) {
      output.error += text;
    },
    readInput: async () => Buffer.from(input),
    openStore: (config, logger, options) => openKeyStore(config, logger, { ...options, isChecked: true }),
  });
  return { status, ...output };
}

/** Runs a command that must succeed without a word on stderr, and returns what it prints for people. */
export async function runText(args: readonly string[], options?: RunOptions): Promise<string> {
  const { status, out, error } = await run(args, options);
  expect({ status, error }).toEqual({ status: 0, error: '' });
  return out;
}

/** Runs a command with `--json`, which must succeed and print exactly one line, and returns what that says. */
// biome-ignore lint/suspicious/noExplicitAny: each test says what it expects of it.
export async function runJson(args: readonly string[], options?: RunOptions): Promise<any> {
  const out = await runText([...args, '--json'], options);
  expect(out).toMatch(/^\{[^\n]+\}\n$/);
  return JSON.parse(out);
}

/** Runs a command that must fail, and returns its one line without the program's name. */
export async function runFailure(status: 1 | 2, args: readonly string[], options?: RunOptions): Promise<string> {
  const result = await run(args, options);
  expect(result).toMatchObject({ status, out: '' });
  expect(result.error).toMatch(/^postal-places: [^\p{Cc}]+\n$/u);
  return result.error.slice('postal-places: '.length, -1);
}
