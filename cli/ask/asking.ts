/**
 * What the commands that ask a snapshot have in common: their options, the opened snapshot, the answer, and the errors. A
 * command opens the snapshot for one answer, so nothing is prepared for more: the file is neither probed nor watched.
 */
import { type Command, Option } from 'commander';
import { statusOfCode } from '../../src/api/error-codes.js';
import { CommandFailure, ExpectedError } from '../../src/expected-error.js';
import { getText } from '../../src/library/answer-text.js';
import { OpenError } from '../../src/library/errors.js';
import { packagedSnapshot } from '../../src/library/packaged-snapshot.js';
import { DomainError } from '../../src/service/domain-error.js';
import { findSnapshot } from '../../src/snapshots/find-snapshot.js';
import { openSnapshotForOneLookup } from '../../src/store/snapshot.js';

/** What a command touches besides the snapshot. */
export interface AskSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly writeOut: (text: string) => void;
}

export const PROCESS_SURROUNDINGS: AskSurroundings = {
  env: process.env,
  writeOut: (text) => void process.stdout.write(text),
};

export interface AskOptions {
  readonly snapshot?: string;
  readonly json?: boolean;
}

/** Where nothing was found. */
const EXIT_NOTHING_FOUND = 4;

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
export function ask<Data>(question: Question<Data>, command: Command, { env, writeOut }: AskSurroundings): void {
  const { snapshot, json = false } = command.opts<AskOptions>();
  const { operation, parameters, inLines, linesOf, nothingFound = 'Nothing was found.' } = question;
  const opened = open(snapshot ?? env.SNAPSHOT);
  const text = answer(command, () => getText(opened, operation, json ? parameters : { ...parameters, ...inLines }));
  const lines = linesOf(JSON.parse(text));
  if (json) writeOut(`${text}\n`);
  else for (const line of lines) writeOut(`${line}\n`);
  if (lines.length === 0) throw new CommandFailure(nothingFound, EXIT_NOTHING_FOUND);
}

function open(source: string | undefined): ReturnType<typeof openSnapshotForOneLookup> {
  try {
    return openSnapshotForOneLookup(
      source === undefined || source === '' ? packagedSnapshot() : findSnapshot(source).path,
    );
  } catch (error) {
    if (!(error instanceof OpenError)) throw error;
    throw new ExpectedError(`${error.message} by --snapshot or SNAPSHOT`);
  }
}

function answer(command: Command, find: () => string): string {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] === 404) throw new CommandFailure(error.message, EXIT_NOTHING_FOUND);
    return command.error(`error: ${error.message}`);
  }
}
