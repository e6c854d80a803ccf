/** What the commands that ask a snapshot have in common: their options, and the answer that is loaded when a command runs. */

import type { Command } from 'commander';
import { snapshotOption } from '../named-snapshot.js';
import type { AskSurroundings, Question } from './question.js';

const EXIT_CODES = 'Exit codes: 0 found, 1 failed, 2 wrong usage, 4 nothing found.';

/** Adds what all these commands have; `examples` are command lines without the name of the program. */
export function addAskOptions(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  postal-places ${example}`);
  return command
    .addOption(snapshotOption())
    .option('--json', 'print the exact data that the API answers with')
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}\n\n${EXIT_CODES}`);
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
