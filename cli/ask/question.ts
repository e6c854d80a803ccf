/**
 * One question to a snapshot by a command: its operation and parameters, the options that all these commands have, the
 * answer and its errors. A command opens the snapshot for one answer, so the file is neither probed nor watched.
 */

import type { Command } from 'commander';
import { isRefusedLookup } from '../../src/api/description/bind-lookup.js';
import { statusOfCode } from '../../src/api/description/error-codes.js';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import type { Service } from '../../src/core/answers/service.js';
import { listAbsentCountries } from '../../src/core/lookup/absent-countries.js';
import { COUNTRY_PARAMETERS, findCountry } from '../../src/core/lookup/countries.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import { parseJson } from '../../src/core/snapshot/parse-json.js';
import { type Country, openSnapshotForOneLookup } from '../../src/core/snapshot/snapshot.js';
import { getText } from '../../src/library/answer-text.js';
import { packagedCountries } from '../../src/releases/packaged/packaged-release.js';
import {
  type AskedCountries,
  adviceOnNamedSnapshot,
  describeAbsentInSnapshot,
  describeNotInSnapshot,
  isNamed,
  readCountryNames,
  snapshotOption,
  withChangesLists,
  withNamedSnapshot,
} from '../program/named-snapshot.js';
import { type Surroundings, stderrLines } from '../program/program-io.js';

/** What a command that asks touches besides the snapshot. */
export type AskSurroundings = Pick<Surroundings, 'env' | 'writeOut'>;

export interface AskOptions {
  readonly snapshot?: string;
  readonly json?: boolean;
}

/** One question to the API: the name of an operation, its parameters, and the lines that tell its data. */
export interface Question<Data> {
  readonly operation: keyof Service;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parameters of the answer that is printed as lines. */
  readonly inLines?: Readonly<Record<string, unknown>>;
  /** Empty where nothing was found. */
  readonly linesOf: (data: Data) => readonly string[];
  /** The message where the answer is there and empty. */
  readonly nothingFound?: string;
  /** A sentence about the answer, in place of that message where it is empty. */
  readonly remarkOf?: (data: Data, describeAbsent: (country: string) => string) => string | undefined;
  /** What stands before the code of a country so that the command compiles it. */
  readonly compiling: string;
}

const EXIT_CODES = 'Exit codes: 0 found, 1 failed, 2 wrong usage, 4 nothing found.';

/** Adds what all these commands have; `examples` are command lines without the name of the program. */
export function addQuestionOptions(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  postal-places ${example}`);
  return command
    .addOption(snapshotOption())
    .option('--json', 'print the exact data that the API answers with')
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}\n\n${EXIT_CODES}`);
}

/** Where the snapshot is, if it is named. */
export function sourceOf(command: Command, { env }: AskSurroundings): string | undefined {
  return command.opts<AskOptions>().snapshot ?? env.SNAPSHOT;
}

/** Prints the answer. Ends the command by an error of its own where there is none. */
export async function askQuestion<Data>(
  question: Question<Data>,
  command: Command,
  surroundings: AskSurroundings,
): Promise<void> {
  const { json = false } = command.opts<AskOptions>();
  const { operation, inLines, linesOf, remarkOf, nothingFound = 'Nothing was found.', compiling } = question;
  const source = sourceOf(command, surroundings);
  const parameters = await withCountryCodes(source, question.parameters);
  const given = json ? parameters : { ...parameters, ...inLines };
  // Any snapshot can tell what is wrong with an argument.
  const countries = isRefusedLookup(operation, given) ? [] : countriesOf(operation, parameters);
  /** The package may have the country of which this snapshot has no data. */
  const isCompilable = ({ entry }: Country): boolean => !isNamed(source) && packagedCountries().includes(entry.code);
  const describe = (absent: readonly Country[], sentence = describeNotInSnapshot(absent)): string => {
    if (!absent.every(isCompilable)) return sentence + adviceOnNamedSnapshot(source, absent);
    const codes = absent.map(({ entry }) => entry.code).join();
    return `${describeNotInSnapshot(absent)}; ${compiling} ${codes} compiles ${absent.length === 1 ? 'it' : 'them'}`;
  };
  await withNamedSnapshot(source, countries, (path) => {
    const snapshot = withChangesLists(path, openSnapshotForOneLookup(path));
    const find = (): string => getText(snapshot, operation, given);
    const text = answer(command, find, (error) => {
      const absent = listAbsentCountries(snapshot, error, given);
      // Of a country that is not missing the error itself tells the code.
      const isCodeWrong = ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND'].includes(error.code) && absent.every(isCompilable);
      return isCodeWrong || absent.length === 0 ? undefined : describe(absent);
    });
    const data = parseJson(text) as Data;
    const lines = linesOf(data);
    const { writeOut } = surroundings;
    if (json) writeOut(`${text}\n`);
    else for (const line of lines) writeOut(`${line}\n`);
    const { q, country } = parameters;
    const isAnywhere = country === undefined && typeof q === 'string';
    const absent = isAnywhere ? describeAbsentInSnapshot(snapshot, q, lines.length > 0) : undefined;
    const ofCode = (code: string): string => `${describe([findCountry(snapshot, code)])}.`;
    const message = absent === undefined ? remarkOf?.(data, ofCode) : `${describe([absent.country], absent.sentence)}.`;
    if (lines.length === 0) throw new CommandFailure(message ?? nothingFound, EXIT.nothingFound);
    if (message !== undefined) command.configureOutput().writeErr?.(stderrLines(message));
  });
}

/** The parameters with codes for the names of countries. */
async function withCountryCodes(
  source: string | undefined,
  parameters: Question<never>['parameters'],
): Promise<Question<never>['parameters']> {
  const read = { ...parameters };
  for (const name of COUNTRY_PARAMETERS) {
    const list = read[name];
    if (typeof list === 'string') read[name] = await readCountryNames(source, list);
  }
  return read;
}

/** The countries that the answer is about. What is around a place may be in any. */
function countriesOf(operation: keyof Service, { country, countries }: Question<never>['parameters']): AskedCountries {
  const codes = operation === 'nearby' ? [countries, countries && country] : [country];
  const listed = codes.flatMap((text) => (typeof text === 'string' ? text.toUpperCase().split(',') : []));
  const asked = listed.filter((code) => code !== ANY_COUNTRY.toUpperCase());
  return asked.length === 0 ? null : asked;
}

/** `absentOf` is the message where the error comes of a country without data. */
function answer(command: Command, find: () => string, absentOf: (error: DomainError) => string | undefined): string {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const absent = absentOf(error);
    if (statusOfCode[error.code] !== 404) return command.error(`error: ${absent ?? error.message}`);
    // The details tell what is known of a code that was not found.
    const told = [error.message, ...(error.details ?? []).map(({ message }) => `${message}.`)].join(' ');
    throw new CommandFailure(absent === undefined ? told : `${absent}.`, EXIT.nothingFound);
  }
}
