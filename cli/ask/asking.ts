/** What the commands that ask a snapshot have in common: their options and the form of a question. */
import { type Command, Option } from 'commander';
import type { Surroundings } from '../surroundings.js';

export type AskSurroundings = Pick<Surroundings, 'env' | 'writeOut'>;

export interface AskOptions {
  readonly snapshot?: string;
  readonly json?: boolean;
}

const EXIT_CODES = 'Exit codes: 0 found, 1 failed, 2 wrong usage, 4 nothing found.';

/** Adds what all these commands have; `examples` are command lines without the name of the program. */
export function addAskOptions(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  postal-places ${example}`);
  return command
    .addOption(
      new Option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data").argParser(String),
    )
    .option('--json', 'print the exact data that the API answers with')
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}\n\n${EXIT_CODES}`);
}

/** One question to the API: the name of an operation, its parameters, and the lines that tell its data. */
export interface Question<Data> {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parameters of the answer that is printed as lines. */
  readonly inLines?: Readonly<Record<string, unknown>>;
  /** Empty where nothing was found. */
  readonly linesOf: (data: Data) => readonly string[];
  /** The message where the answer is there and empty. */
  readonly nothingFound?: string;
}

/** Prints the answer. Ends the command by an error of its own where there is none. */
export async function ask<Data>(
  question: Question<Data>,
  command: Command,
  surroundings: AskSurroundings,
): Promise<void> {
  const { printAnswer } = await import('./answering.js');
  printAnswer(question, command, surroundings);
}
