/**
 * The answer to a question on the command line, and its errors. A command opens the snapshot for one answer, so nothing is
 * prepared for more: the file is neither probed nor watched.
 */
import type { Command } from 'commander';
import { statusOfCode } from '../../src/api/error-codes.js';
import { CommandFailure, EXIT } from '../../src/expected-error.js';
import { getText } from '../../src/library/answer-text.js';
import { DomainError } from '../../src/service/domain-error.js';
import { openSnapshotForOneLookup } from '../../src/store/snapshot.js';
import { adviceOnMissingCountry, openNamed } from '../named-snapshot.js';
import type { AskOptions, AskSurroundings, Question } from './question.js';

/** Prints the answer. Ends the command by an error of its own where there is none. */
export function printAnswer<Data>(
  question: Question<Data>,
  command: Command,
  { env, writeOut }: AskSurroundings,
): void {
  const { snapshot, json = false } = command.opts<AskOptions>();
  const { operation, parameters, inLines, linesOf, nothingFound = 'Nothing was found.' } = question;
  const source = snapshot ?? env.SNAPSHOT;
  const given = json ? parameters : { ...parameters, ...inLines };
  const text = openNamed(source, (path) =>
    answer(command, source, () => getText(openSnapshotForOneLookup(path), operation, given)),
  );
  const lines = linesOf(JSON.parse(text));
  if (json) writeOut(`${text}\n`);
  else for (const line of lines) writeOut(`${line}\n`);
  if (lines.length === 0) throw new CommandFailure(nothingFound, EXIT.nothingFound);
}

function answer(command: Command, source: string | undefined, find: () => string): string {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'NO_POSTCODE_DATA') {
      const message = `${error.message.replace(/\.$/, '')}${adviceOnMissingCountry(source)}.`;
      throw new CommandFailure(message, EXIT.nothingFound);
    }
    if (statusOfCode[error.code] === 404) throw new CommandFailure(error.message, EXIT.nothingFound);
    return command.error(`error: ${error.message}`);
  }
}
