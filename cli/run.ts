/** Runs a command line: finds its subcommand, prints its error, and gives the exit code. */

import { CommanderError } from 'commander';
import { EXIT, exitCodeOf } from '../src/base/errors.js';
import { createProgram, isSubcommand } from './commands.js';
import { PROCESS_SURROUNDINGS, type Surroundings } from './surroundings.js';

/** Runs the program with the arguments that follow its name and returns the exit code. Never exits by itself. */
export async function run(args: readonly string[], surroundings: Surroundings = PROCESS_SURROUNDINGS): Promise<number> {
  const { words, called } = readWords(args);
  const program = await createProgram(called, surroundings);
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const { describeError } = await import('./describe-error.js');
    surroundings.writeError(describeError(error, program, words));
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
