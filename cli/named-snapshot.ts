/** Opens the snapshot that --snapshot or SNAPSHOT names, or else the package's own data. */

import { InvalidArgumentError, Option } from 'commander';
import { onSignal } from '../build-index/commands/long-running.js';
import { createProgress, type Progress } from '../build-index/reporting/progress.js';
import { ExpectedError } from '../src/base/errors.js';
import type { Country, Snapshot } from '../src/core/snapshot/snapshot.js';
import { nameFile, SnapshotError } from '../src/core/snapshot/snapshot-error.js';
import { findAbsentCountry } from '../src/core/suggest/country-suggestions.js';
import { findSnapshot } from '../src/releases/find-snapshot.js';
import { type CompilationListener, NoPackagedDataError, withPackaged } from '../src/releases/packaged-snapshot.js';
import { inSentence } from '../src/site/html/country-in-sentence.js';
import { errorLine } from './surroundings.js';

/** What a command asks of the data of the package: upper-case codes of countries, or null for all. */
export type AskedCountries = readonly string[] | null;

/**
 * `countries` says which ones are compiled where no snapshot is named and none has been compiled yet. Rejects with
 * ExpectedError, SnapshotError that names the file, errors of the file system and of `open`.
 */
export async function openNamed<T>(
  source: string | undefined,
  countries: AskedCountries,
  open: (path: string) => T,
): Promise<T> {
  let path = '';
  try {
    if (isNamed(source)) {
      path = findSnapshot(source).path;
      return open(path);
    }
    return await withPackaged({ countries }, tellOnTerminal(process.stderr), (packaged) => {
      path = packaged.path;
      try {
        return open(path);
      } finally {
        packaged.release();
      }
    });
  } catch (error) {
    if (error instanceof SnapshotError) throw nameFile(path, error);
    if (!(error instanceof NoPackagedDataError)) throw error;
    throw new ExpectedError(`${error.message} by --snapshot or SNAPSHOT`);
  }
}

/** A line that says that this happens once and, on a terminal, a bar. */
function tellOnTerminal(stream: NodeJS.WriteStream): CompilationListener {
  let progress: Progress | undefined;
  let phase = '';
  const tell = (message: string): void => void stream.write(errorLine(message));
  const stop = (): void => progress?.stop();
  let undo = (): void => {};
  return {
    begin(what) {
      tell(`compiling ${what}, this once: later answers come at once`);
      if (stream.isTTY) progress = createProgress(stream);
      undo = onSignal(stop);
    },
    onProgress(message) {
      if (message.phase !== phase) progress?.start(message.phase, message.total);
      else progress?.step('');
      phase = message.phase;
    },
    end() {
      stop();
      undo();
    },
    warn: tell,
  };
}

/** "France and United Kingdom are not in this snapshot" */
export function describeAbsent(countries: readonly Country[]): string {
  const names = new Intl.ListFormat('en-GB').format(countries.map(({ entry }) => entry.name));
  return `${names} ${countries.length === 1 ? 'is' : 'are'} not in this snapshot`;
}

/**
 * The country without data that a text is about to which nothing was found, unless `isFound`: "Tokyo is in Japan, of which
 * this release has no postal codes", "Japan is not in this snapshot". Undefined if the text is about no such country.
 */
export function describeAbsentIn(snapshot: Snapshot, text: string, isFound: boolean): DescribedCountry | undefined {
  const absent = findAbsentCountry(snapshot, text, !isFound);
  if (absent === undefined) return undefined;
  const { country, hasCity } = absent;
  if (isFound || !hasCity) return { country, sentence: describeAbsent([country]) };
  const city = text.trim().replaceAll(/\s+/g, ' ');
  const sentence = `${city} is in ${inSentence(country.entry.name)}, of which this release has no postal codes`;
  return { country, sentence };
}

export interface DescribedCountry {
  readonly country: Country;
  /** Without a full stop. */
  readonly sentence: string;
}

/** What follows such a sentence: where other countries come from, if the snapshot is the package's own. */
export function adviceOnMissingCountry(source: string | undefined): string {
  if (isNamed(source)) return '';
  return "; the package's own data have some countries only: name a snapshot by --snapshot or SNAPSHOT (postal-places build makes one)";
}

export function isNamed(source: string | undefined): source is string {
  return source !== undefined && source !== '';
}

/* The option that names the snapshot of the commands that ask; named-snapshot.ts opens it. */

export function snapshotOption(): Option {
  return new Option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data").argParser(
    parseSource,
  );
}

/** An empty name is mostly a variable that is not set: its caller must not get answers from other data. */
function parseSource(source: string): string {
  if (source === '') throw new InvalidArgumentError('It must be the name of a file or a folder.');
  return source;
}
