/** Runs a command line: finds its subcommand, prints its error, and gives the exit code. */

import { type Command, CommanderError } from 'commander';
import { describeSystemError, isSystemError } from '../build-index/reporting/system-error.js';
import { ExpectedError } from '../src/base/errors.js';
import { CommandFailure, EXIT, exitCodeOf } from '../src/base/exit-code.js';
import { createProgram, isSubcommand } from './commands.js';
import { PROCESS_SURROUNDINGS, type Surroundings, stderrLine, stderrLines } from './program/program-io.js';

/** Runs the program with the arguments that follow its name and returns the exit code. Never exits by itself. */
export async function run(args: readonly string[], surroundings: Surroundings = PROCESS_SURROUNDINGS): Promise<number> {
  const { words, called } = readWords(args);
  const program = await createProgram(called, surroundings);
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    surroundings.writeError(await describeError(error, program, words));
    if (error instanceof CommanderError) return EXIT.wrongUsage;
    return exitCodeOf(error);
  }
}

/** The words for commander, and the name of the subcommand: `help build` asks for the same as `build --help`. */
function readWords(args: readonly string[]): {
  readonly words: readonly string[];
  readonly called: string | undefined;
} {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  const called = words.find((word) => !word.startsWith('-'));
  // Alone, an unknown name is refused also where `--help` stands behind it.
  return { words: called === undefined || isSubcommand(called) ? words : [called], called };
}

/** Empty where everything has been printed. */
async function describeError(error: unknown, program: Command, words: readonly string[]): Promise<string> {
  if (error instanceof CommanderError) return describeWrongUsage(error, program, words);
  if (error instanceof CommandFailure) return error.message === '' ? '' : stderrLines(error.message);
  if (isSystemError(error)) return stderrLine(describeSystemError(error));
  // Not every command knows snapshots.
  const { SnapshotError } = await import('../src/core/snapshot/snapshot-error.js');
  if (error instanceof ExpectedError || error instanceof SnapshotError) return stderrLine(error.message);
  return stderrLines((error as Error).stack ?? String(error));
}

function describeWrongUsage({ code, message }: CommanderError, program: Command, words: readonly string[]): string {
  // The help has been printed.
  if (code === 'commander.help') return '';
  const called = findCalled(program, words);
  const names = [program, ...called].map((command) => command.name()).join(' ');
  const shown = (called.at(-1) ?? program).commands.length > 0 ? 'commands' : 'arguments and options';
  return stderrLine(`${message.replace(/^error: /, '')}; ${names} --help shows the ${shown}`);
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
