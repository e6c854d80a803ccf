/**
 * `pull`: brings a folder of published snapshots to the release that a channel names. It fetches the snapshot into a
 * partial file, checks digests, checksums and the channel's signature, and only then puts the file in service as
 * `publish` does. Whatever fails or is killed before, what is served stays; the next pull goes on where it stopped.
 */

import { closeSync, existsSync, fchmodSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessageOf } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { FORMAT_VERSION } from '../../core/snapshot/sections.js';
import { openSnapshotFileIfPossible } from '../../core/snapshot/snapshot-file.js';
import { ChannelError } from '../channel/channel-error.js';
import { type ChannelFile, changesPath, type Release, snapshotName, snapshotPath } from '../channel/channel-file.js';
import { canFindSnapshot } from '../folder/find-snapshot.js';
import { withLockAtOnce } from '../folder/folder-lock.js';
import { pruneSnapshots } from '../folder/prune-snapshots.js';
import { putPublishedInService, readCurrent } from '../folder/published-folder.js';
import { parsePublishedName, publishedChangesName } from '../folder/published-name.js';
import { openChannelSource } from './channel-host.js';
import {
  type FetchOptions,
  fetchChannel,
  fetchFile,
  noSpace,
  removeOtherFetches,
  type WantedFile,
} from './fetch-file.js';
import { isPullStateOf, type PullState, readPullState, writePullState } from './pull-state.js';

/** Number of snapshots that a pull leaves in its folder: the one in service, and the one that `rollback` would go to. */
export const DEFAULT_KEEP = 2;
/** Maximum time of a pull in milliseconds: an hour, in which the world comes at 45 kB a second. */
export const DEFAULT_LIMIT_MS = 3_600_000;

export interface PullOptions extends FetchOptions {
  readonly channel: string;
  /** The folder of snapshots. Created if it is missing. */
  readonly folder: string;
  /** How many snapshots the folder keeps, the one in service among them. */
  readonly keep: number;
  /** Rejects if the snapshot file at the path is damaged. */
  readonly check: (path: string, signal: AbortSignal) => Promise<{ readonly id: string }>;
}

/** Numbers of compressed bytes that were fetched. */
interface Transfer {
  readonly bytesFetched: number;
  /** Of these, those of the list of changes. */
  readonly changesBytesFetched: number;
}

export interface PullReport extends Transfer {
  readonly channel: string;
  /** The name of the release that the channel names. */
  readonly release: string;
  /** False where the operator has put another snapshot in service since: that stays until the channel changes. */
  readonly isInService: boolean;
  readonly sequence: number;
  readonly changedAt: string;
  /** False where the folder had followed the channel already. */
  readonly changed: boolean;
}

export interface ChannelOptions extends Omit<PullOptions, 'source' | 'signal' | 'onRetry'> {
  /** An address, or the path of a folder. */
  readonly address: string;
  /** Maximum time of a pull, in milliseconds. */
  readonly limitMs: number;
}

const LOCK_FILE = '.pull.lock';
const NOTHING_FETCHED: Transfer = { bytesFetched: 0, changesBytesFetched: 0 };

/**
 * Pulls from an address within a time. Throws as `pull`, and ChannelError TIME_LIMIT, which has the last failure after
 * which a file was asked for again.
 */
export async function pullOnce(
  { address, limitMs, ...options }: ChannelOptions,
  stop: AbortSignal,
): Promise<PullReport> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([stop, limit]);
  let lastFailure: Error | undefined;
  const onRetry = (error: Error): void => {
    // The limit itself ends requests with an error.
    if (!signal.aborted) lastFailure = error;
  };
  try {
    return await pull({ ...options, source: openChannelSource(address, signal, onRetry), signal, onRetry });
  } catch (error) {
    if (stop.aborted || !limit.aborted) throw error;
    const reason = lastFailure === undefined ? '' : `; the last failure was: ${reasonOf(lastFailure)}`;
    throw new ChannelError(
      'TIME_LIMIT',
      `the pull took longer than ${limitMs / 1000} s${reason}`,
      'the next one goes on where it stopped',
    );
  }
}

/** Without the remedy, which is for a pull that ends with this failure. */
function reasonOf(error: Error): string {
  return error instanceof ChannelError ? `${error.code}: ${error.found}` : error.message;
}

/**
 * Throws ChannelError, PublishingError, SnapshotError, what node:fs throws, or the reason of `signal`; then `current` is
 * the same link as before.
 */
export async function pull(options: PullOptions): Promise<PullReport> {
  const { folder } = options;
  makeFolder(folder);
  const held = (): Error => new ChannelError('PULL_RUNNING', `another pull fills ${folder}`, 'let it end');
  try {
    return await withLockAtOnce(folder, LOCK_FILE, 'exclusive', held, () => pullAlone(options));
  } catch (error) {
    // Something else may have filled the disk, or a quota, since the pull began.
    const isDiskFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isDiskFull ? noSpace(`${folder}: ${errorMessageOf(error)}`) : error;
  }
}

async function pullAlone(options: PullOptions): Promise<PullReport> {
  const { source, channel, folder } = options;
  const known = readPullState(folder, channel);
  // A snapshot that is gone, or of another format version, is fetched again.
  const followed = canFindSnapshot(folder) && isPullStateOf(folder, channel) ? known : undefined;
  const found = await fetchChannel(options, channel, followed?.source === source.name ? followed.etag : null);
  if (found === 'unchanged') return reportOf(followed as PullState, folder);
  const { file, etag } = found;
  if (known !== undefined && isBehind(file, known)) throw sequenceLower(file, known);
  const { sequence, changedAt, release } = file;
  const state: PullState = { channel, release: release.name, sequence, changedAt, etag, source: source.name };
  if (sequence === followed?.sequence) {
    writePullState(folder, state);
    return reportOf(state, folder);
  }
  requireReadable(release);
  const transfer = await bring(release, options);
  await pruneSnapshots(folder, options.keep);
  // The last step: a pull that is killed before does all of them again.
  writePullState(folder, state);
  return { ...reportOf(state, folder), ...transfer, changed: true };
}

/** Whether the file is older than what is known, or of the same number and another release. */
function isBehind({ sequence, release }: ChannelFile, known: PullState): boolean {
  return sequence < known.sequence || (sequence === known.sequence && release.name !== known.release);
}

function reportOf({ channel, release, sequence, changedAt }: PullState, folder: string): PullReport {
  const isInService = readCurrent(folder) === snapshotName(release);
  return { channel, release, sequence, changedAt, isInService, changed: false, ...NOTHING_FETCHED };
}

function sequenceLower({ channel, sequence, release }: ChannelFile, known: PullState): ChannelError {
  return new ChannelError(
    'SEQUENCE_LOWER',
    `the channel ${channel} has sequence number ${sequence} for ${release.name}, after ${known.sequence} for ${known.release}`,
    'an old state is shown again: look at the host; a rollback by the publisher has a higher number',
  );
}

function requireReadable({ name, formatVersion }: Release): void {
  if (formatVersion === FORMAT_VERSION) return;
  throw new ChannelError(
    'FORMAT_VERSION',
    `the release ${name} has snapshot format version ${formatVersion}, and this program reads ${FORMAT_VERSION}`,
    formatVersion > FORMAT_VERSION ? 'install a newer version of this program' : 'publish a new build',
  );
}

/** Puts a release in service, with its snapshot from the folder or from the source. */
async function bring(release: Release, options: PullOptions): Promise<Transfer> {
  const { folder, check, signal } = options;
  const name = snapshotName(release.name);
  const path = join(folder, name);
  // The list of changes stands beside the snapshot before anybody serves that.
  const listPath = publishedChangesName(path);
  const list = existsSync(listPath) ? null : release.changes;
  const listReserve = list === null ? 0 : list.bytes + list.compressed.bytes;
  const wantedLists: WantedFile[] =
    list === null ? [] : [{ path: changesPath(release.name), file: list, finalPath: listPath, reserveBytes: 0 }];
  const bringList = async (): Promise<number> => {
    const [wantedList] = wantedLists;
    return wantedList === undefined ? 0 : await fetchFile(wantedList, options, (partial) => partial.publish());
  };
  // Open, it is protected from `prune`.
  const existing = openSnapshotFileIfPossible(path);
  try {
    if (existing !== undefined && (await isSound(path, release, options))) {
      removeOtherFetches(folder, wantedLists);
      const bytesFetched = await bringList();
      await putPublishedInService(folder, name, undefined);
      return { bytesFetched, changesBytesFetched: bytesFetched };
    }
  } finally {
    if (existing !== undefined) closeSync(existing);
  }
  const wanted: WantedFile = {
    path: snapshotPath(release.name),
    file: release.snapshot,
    finalPath: path,
    reserveBytes: listReserve,
  };
  removeOtherFetches(folder, [wanted, ...wantedLists]);
  let changesBytesFetched = 0;
  const bytesFetched = await fetchFile(wanted, options, async (partial) => {
    const { id } = await check(partial.path, signal);
    if (id !== idOf(release)) {
      const found = `the snapshot of ${release.name} has another id than its name`;
      throw new ChannelError('FILE_DAMAGED', found, 'publish the release again');
    }
    changesBytesFetched = await bringList();
    signal.throwIfAborted();
    fchmodSync(partial.fd, 0o444);
    await putPublishedInService(folder, name, partial);
  });
  return { bytesFetched: bytesFetched + changesBytesFetched, changesBytesFetched };
}

function idOf({ name }: Release): string | undefined {
  return parsePublishedName(snapshotName(name))?.id;
}

async function isSound(path: string, release: Release, { check, signal }: PullOptions): Promise<boolean> {
  return await check(path, signal).then(
    (checked) => checked.id === idOf(release),
    () => {
      signal.throwIfAborted();
      return false;
    },
  );
}
