/** Answers from the snapshot that --snapshot or SNAPSHOT names, or else from the package's own data. */

import { InvalidArgumentError, Option } from 'commander';
import { onInterruptionSignal } from '../../build-index/commands/interruption.js';
import { ExpectedError } from '../../src/base/errors.js';
import { findAbsentCountry } from '../../src/core/lookup/absent-countries.js';
import { findCountryByText, hasCodesAlone, namesToCountryCodes } from '../../src/core/lookup/countries.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import { type Country, openSnapshotForOneLookup, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { explainFailure } from '../../src/releases/checking/failed-answer.js';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import { packagedCountries } from '../../src/releases/packaged/packaged-release.js';
import {
  type CompilationListener,
  NoPackagedDataError,
  withPackagedSnapshot,
} from '../../src/releases/packaged/packaged-snapshot.js';
import { ChangesLists } from '../../src/releases/served/changes-lists.js';
import { inSentence } from '../../src/site/html/country-in-sentence.js';
import { stderrLine } from './program-io.js';

/** What a command asks of the data of the package: upper-case codes of countries, or null for all. */
export type AskedCountries = readonly string[] | null;

/**
 * Calls `answer` with the path of the snapshot. `countries` says which ones are compiled where no snapshot is named and none
 * has been compiled yet. Where a damaged file fails the answer, it is told of if it was named; the package's own is compiled
 * again, and `answer` called once more if it `isRepeatable`. Rejects with ExpectedError, SnapshotError that names the file,
 * errors of the file system and of `answer`.
 */
export async function withNamedSnapshot<T>(
  source: string | undefined,
  countries: AskedCountries,
  answer: (path: string) => T | Promise<T>,
  isRepeatable?: () => boolean,
): Promise<T> {
  if (isNamed(source)) {
    const { path } = findSnapshot(source);
    try {
      return await answer(path);
    } catch (error) {
      throw explainFailure(path, error);
    }
  }
  try {
    return await withPackagedSnapshot({ countries, isRepeatable }, onTerminal(), answer);
  } catch (error) {
    if (!(error instanceof NoPackagedDataError)) throw error;
    throw new ExpectedError(`${error.message} by --snapshot or SNAPSHOT`);
  }
}

/** The snapshot at a path with the lists of changes beside it, which tell of withdrawn codes. */
export function withChangesLists(path: string, snapshot: Snapshot): Snapshot {
  const tell = ({ path, reason }: { readonly path?: string; readonly reason?: string }, message: string): void =>
    void process.stderr.write(stderrLine(`${path}: ${message}: ${reason}`));
  return { ...snapshot, changes: new ChangesLists(path, snapshot, { info: tell, warn: tell, error: tell }) };
}

/* The countries that a command line names. Every snapshot knows the names of all countries: none is compiled for them. */

/** The code of the country that each text means, if there is one. */
export async function findCountryCodes(
  source: string | undefined,
  texts: readonly string[],
): Promise<readonly (string | undefined)[]> {
  return await withNamedSnapshot(source, [], (path) => {
    const snapshot = openSnapshotForOneLookup(path);
    return texts.map((text) => findCountryByText(snapshot, text)?.entry.code);
  });
}

/** A list of codes and names of countries with a code for each name; no country's text stays. */
export async function readCountryNames(source: string | undefined, list: string): Promise<string> {
  if (list === ANY_COUNTRY || hasCodesAlone(list)) return list;
  return await withNamedSnapshot(source, [], (path) => namesToCountryCodes(openSnapshotForOneLookup(path), list));
}

function onTerminal(): CompilationListener {
  const tell = (message: string): void => void process.stderr.write(stderrLine(message));
  let undo = (): void => {};
  return {
    begin(what) {
      tell(`compiling ${what}, this once: later answers come at once`);
      // A signal ends the program by process.exit, which removes temporary folders.
      undo = onInterruptionSignal(() => {});
    },
    end: () => undo(),
    warn: tell,
  };
}

/** "France and United Kingdom are not in this snapshot" */
export function describeNotInSnapshot(countries: readonly Country[]): string {
  const names = new Intl.ListFormat('en-GB').format(countries.map(({ entry }) => entry.name));
  return `${names} ${countries.length === 1 ? 'is' : 'are'} not in this snapshot`;
}

/**
 * The country without data that a text is about to which nothing was found, unless `isFound`: "Tokyo is in Japan, of which
 * this release has no postal codes", "Japan is not in this snapshot". Undefined if the text is about no such country.
 */
export function describeAbsentInSnapshot(
  snapshot: Snapshot,
  text: string,
  isFound: boolean,
): DescribedCountry | undefined {
  const absent = findAbsentCountry(snapshot, text, !isFound);
  if (absent === undefined) return undefined;
  const { country, hasCity } = absent;
  if (isFound || !hasCity) return { country, sentence: describeNotInSnapshot([country]) };
  const city = text.trim().replaceAll(/\s+/g, ' ');
  const sentence = `${city} is in ${inSentence(country.entry.name)}, of which this release has no postal codes`;
  return { country, sentence };
}

export interface DescribedCountry {
  readonly country: Country;
  /** Without a full stop. */
  readonly sentence: string;
}

/** What follows such a sentence: where these countries come from, if the snapshot is the package's own. */
export function adviceOnNamedSnapshot(source: string | undefined, absent: readonly Country[]): string {
  if (isNamed(source)) return '';
  const packaged = packagedCountries();
  if (absent.every(({ entry }) => packaged.includes(entry.code))) {
    return `; not all ${packaged.length} countries of the package are compiled yet: wait for postal-places start, which compiles them once, or start it`;
  }
  return "; the package's own data have some countries only: name a snapshot by --snapshot or SNAPSHOT (postal-places build makes one)";
}

export function isNamed(source: string | undefined): source is string {
  return source !== undefined && source !== '';
}

/* The option that names the snapshot of the commands that ask. */

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
