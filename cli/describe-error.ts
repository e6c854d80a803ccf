/** The text that ends a run with an error. Loaded for an error alone: what redacts keys takes a while to load. */

import { type Command, CommanderError } from 'commander';
import { describeSystemError, isSystemError } from '../build-index/reporting/printing.js';
import { CommandFailure, ExpectedError } from '../src/base/errors.js';
import { SnapshotError } from '../src/core/snapshot/snapshot-error.js';
import { errorLine, errorLines } from './surroundings.js';

/** Empty where everything has been printed. */
export function describeError(error: unknown, program: Command, words: readonly string[]): string {
  if (error instanceof CommanderError) return describeWrongUsage(error, program, words);
  if (error instanceof CommandFailure) return error.message === '' ? '' : errorLines(error.message);
  if (isSystemError(error)) return errorLine(describeSystemError(error));
  if (error instanceof ExpectedError || error instanceof SnapshotError) return errorLine(error.message);
  return errorLines((error as Error).stack ?? String(error));
}

function describeWrongUsage({ code, message }: CommanderError, program: Command, words: readonly string[]): string {
  // The help has been printed.
  if (code === 'commander.help') return '';
  const called = findCalled(program, words);
  const names = [program, ...called].map((command) => command.name()).join(' ');
  const shown = (called.at(-1) ?? program).commands.length > 0 ? 'commands' : 'arguments and options';
  return errorLine(`${message.replace(/^error: /, '')}; ${names} --help shows the ${shown}`);
}

/** The subcommand that the words name, and the one below it that they name, if any. */
function findCalled(program: Command, words: readonly string[]): Command[] {
  const called: Command[] = [];
  for (const word of words) {
    const command = (called.at(-1) ?? program).commands.find((other) => other.name() === word);
    if (command !== undefined) called.push(command);
  }
  return called;
}
