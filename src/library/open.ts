/**
 * Opens a snapshot for the library: a file, a folder of published snapshots, or the data in the package. The folder's
 * rules are those of the server: where `current` names a damaged file, the newest undamaged snapshot is opened.
 */

import { resolve } from 'node:path';
import { askExamples } from '../api/description/ask-examples.js';
import { ExpectedError, errorMessageOf, explainStartErrors, StartError } from '../base/errors.js';
import { DamagedSnapshotError, SnapshotError } from '../core/snapshot/snapshot-error.js';
import type { PinnedSnapshot } from '../releases/folder/pinned-snapshot.js';
import {
  NoPackagedDataError,
  tryDiscardPackagedSnapshot,
  withPackagedSnapshot,
} from '../releases/packaged/packaged-snapshot.js';
import { type CurrentSnapshot, openCurrentSnapshot } from '../releases/served/current-snapshot.js';
import { openFromSource } from '../releases/served/open-from-source.js';
import { unmapSoon } from '../releases/served/unmap-soon.js';
import { findText } from './answer-text.js';
import { checkLanguagesArgument, checkPath, parseCountriesArgument } from './argument-checks.js';
import { ClosedError, OpenError } from './errors.js';
import { FailedLookups } from './failed-lookups.js';
import type { OneOrSeveral } from './lookups.js';
import { createPlaces, type Places } from './places.js';
import type { WatchedSource } from './watch.js';

export interface OpenOptions {
  /**
   * Follows the file, or the folder's `current`, from release to release: a new snapshot is checked, then used by the
   * same object. Default: false.
   */
  readonly watch?: boolean | undefined;
  /**
   * The languages of names (BCP 47) in lookups that name none, the preferred first: one, or up to three separated by
   * commas or as a list. Without it, names are as the data have them.
   */
  readonly lang?: OneOrSeveral | undefined;
  /**
   * Of the data in the package only these countries, by their two-letter codes: they are compiled within seconds where
   * they are asked for first. For an `open` without a path.
   */
  readonly countries?: readonly string[] | undefined;
}

/**
 * Opens a snapshot; without a path the data in the package, which are compiled in a process of its own, once, and kept in
 * the user's cache folder. Rejects with OpenError, InvalidArgumentError.
 */
export async function open(path?: string, { watch = false, lang, countries }: OpenOptions = {}): Promise<Places> {
  checkPath(path);
  if (lang !== undefined) checkLanguagesArgument(lang);
  const codes = parseCountriesArgument(countries, path);
  const warn: TellProblem = ({ path: file, reason }, message) =>
    teller.tellError(new OpenError(`${file}: ${message}: ${reason}`));
  const { live, pinned } = await (path === undefined
    ? openPackagedSource(codes, warn)
    : openSource(resolve(path), warn));
  // Undefined once the places are closed: nothing must refer to the snapshot then, or it stays mapped.
  let inUse: { readonly live: CurrentSnapshot; readonly source: WatchedSource } | undefined;
  const failed = new FailedLookups(path === undefined ? discardPackaged : describeDamage);
  const { places, teller } = createPlaces({
    find(operation, parameters, read) {
      if (inUse === undefined) throw new ClosedError();
      const { live, source } = inUse;
      const lookUp = () => {
        const text = findText(live.current(), operation, parameters, lang);
        return text === undefined ? undefined : read(text);
      };
      return failed.guard(lookUp, source.pinned);
    },
    async close() {
      const last = inUse;
      inUse = undefined;
      await last?.source.stop();
      if (last !== undefined) unmapSoon(last.live.current());
    },
  });
  // The lists of changes are found by the open file, which keeps its name when the folder moves on.
  const opened = { pinned: () => pinned, stop: async () => pinned.release() };
  // Nobody replaces the data in the package.
  const source =
    watch && path !== undefined
      ? (await import('./watch.js')).watchSource(resolve(path), live, pinned, teller, () => failed.count())
      : opened;
  inUse = { live, source };
  return places;
}

function describeDamage({ path }: PinnedSnapshot, damage: SnapshotError): string {
  return new DamagedSnapshotError(path, damage).message;
}

function discardPackaged(pinned: PinnedSnapshot, damage: SnapshotError): string {
  if (!tryDiscardPackagedSnapshot(pinned)) return describeDamage(pinned, damage);
  return `${pinned.path} was damaged, and is removed: open compiles it again`;
}

/** Without `countries` all of the package; in a checkout the starter countries. */
async function openPackagedSource(countries: readonly string[] | null, tell: TellProblem): Promise<OpenedSource> {
  const warn = (message: string): void => process.emitWarning(message);
  try {
    return await withPackagedSnapshot({ countries, isExact: countries !== null }, { warn }, (path) =>
      openSource(path, tell),
    );
  } catch (error) {
    if (error instanceof OpenError) throw error;
    const code = error instanceof NoPackagedDataError ? 'NO_PACKAGED_DATA' : 'OPEN_FAILED';
    throw new OpenError(`can't open the data in the package: ${errorMessageOf(error)}`, { code, cause: error });
  }
}

interface OpenedSource {
  readonly live: CurrentSnapshot;
  readonly pinned: PinnedSnapshot;
}

/** Is told of a list of changes that is not usable, when it is read. */
type TellProblem = (fields: { readonly path?: string; readonly reason?: string }, message: string) => void;

async function openSource(source: string, warn: TellProblem): Promise<OpenedSource> {
  const logger = { info() {}, warn, error: warn };
  try {
    return await openFromSource(source, async (pinned) => {
      const open = (): Promise<CurrentSnapshot> => openCurrentSnapshot(pinned.openPath, askExamples, logger);
      return { pinned, live: await explainStartErrors('SNAPSHOT', [SnapshotError, ExpectedError], open) };
    });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new OpenError(`can't open ${source}: ${errorMessageOf(error.cause)}`, { cause: error.cause });
  }
}
