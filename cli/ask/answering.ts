/**
 * The answer to a question on the command line, and its errors. A command opens the snapshot for one answer, so nothing is
 * prepared for more: the file is neither probed nor watched.
 */

import type { Command } from 'commander';
import { statusOfCode } from '../../src/api/description/error-codes.js';
import { CommandFailure, EXIT } from '../../src/base/errors.js';
import { type Country, openSnapshotForOneLookup } from '../../src/core/snapshot/snapshot.js';
import { findAbsentCountry, listAbsentCountries } from '../../src/core/suggest/country-suggestions.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import { getText } from '../../src/library/answer-text.js';
import { adviceOnMissingCountry, describeAbsent, openNamed } from '../named-snapshot.js';
import { errorLines } from '../surroundings.js';
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
  openNamed(source, (path) => {
    const snapshot = openSnapshotForOneLookup(path);
    const find = (): string => getText(snapshot, operation, given);
    const text = answer(command, find, (error) => absentIn(listAbsentCountries(snapshot, error, given), source));
    const lines = linesOf(JSON.parse(text));
    if (json) writeOut(`${text}\n`);
    else for (const line of lines) writeOut(`${line}\n`);
    const { q, country } = parameters;
    const absent = country === undefined && typeof q === 'string' && findAbsentCountry(snapshot, q, lines.length === 0);
    const message = absentIn(absent ? [absent] : [], source);
    if (lines.length === 0)
      throw new CommandFailure(message === undefined ? nothingFound : `${message}.`, EXIT.nothingFound);
    if (message !== undefined) command.configureOutput().writeErr?.(errorLines(`${message}.`));
  });
}

function absentIn(countries: readonly Country[], source: string | undefined): string | undefined {
  if (countries.length === 0) return undefined;
  return `${describeAbsent(countries)}${adviceOnMissingCountry(source)}`;
}

/** `absentOf` is the message where the error comes of a country without data. */
function answer(command: Command, find: () => string, absentOf: (error: DomainError) => string | undefined): string {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const absent = absentOf(error);
    if (statusOfCode[error.code] !== 404) return command.error(`error: ${absent ?? error.message}`);
    throw new CommandFailure(absent === undefined ? error.message : `${absent}.`, EXIT.nothingFound);
  }
}
