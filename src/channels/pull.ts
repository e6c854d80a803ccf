/**
 * `pull`: brings a folder of published snapshots to the release that a channel names. It transfers the parts that the
 * folder's snapshots lack into a partial file, checks digest, checksums and signatures, and only then puts the file in
 * service as `publish` does. Whatever fails or is killed before, what is served stays; the next pull goes on with the
 * partial file.
 */
import { closeSync, existsSync, fchmodSync, fsync, ftruncateSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../expected-error.js';
import { openLockFile } from '../platform/own-file.js';
import { requireLocks, requireTaken } from '../publishing/folder-lock.js';
import { createPartial, removeStalePartials, resumePartial } from '../publishing/partial-file.js';
import { pruneSnapshots } from '../publishing/prune-snapshots.js';
import { putInService } from '../publishing/put-in-service.js';
import { isServable } from '../snapshots/is-servable.js';
import { changesFileOf, isPublishedFile, readCurrent } from '../snapshots/snapshot-folder.js';
import { openSharedIfPossible } from '../store/open-file.js';
import { ChannelError } from './channel-error.js';
import type { ChannelFile } from './channel-file.js';
import { isDiskFull, noSpace } from './disk-space.js';
import { fetchParts } from './fetch-parts.js';
import { fetchChannel, fetchRelease, type SignedSource } from './fetch-signed.js';
import { type FillOptions, fillSnapshot, type Transfer } from './fill-snapshot.js';
import { sha256OfFile } from './part-bytes.js';
import { isFollowed, type PullState, readPullState, writePullState } from './pull-state.js';
import { type ReleaseFile, snapshotName } from './release-file.js';

const sync = promisify(fsync);

export interface PullOptions extends SignedSource, FillOptions {
  readonly channel: string;
  /** How many snapshots the folder keeps, the one in service among them. */
  readonly keep: number;
  /** Rejects if the snapshot file at the path is damaged. */
  readonly check: (path: string, signal: AbortSignal) => Promise<{ readonly id: string }>;
}

/** What a release took: its snapshot and its list of changes. */
interface ReleaseTransfer extends Transfer {
  /** Length of all fetched files, in bytes: parts, deltas, and the files of the list of changes. */
  readonly bytesFetched: number;
  /** Of bytesFetched, the length of the files of the list of changes. */
  readonly changesBytesFetched: number;
}

export interface PullReport extends ReleaseTransfer {
  readonly channel: string;
  /** The release that the channel names. */
  readonly release: string;
  /** False where the operator has put another snapshot in service since: that stays until the channel changes. */
  readonly isInService: boolean;
  readonly sequence: number;
  readonly changedAt: string;
  /** False where the folder had followed the channel already. */
  readonly changed: boolean;
}

const LOCK_FILE = '.pull.lock';
const NOTHING_FETCHED: ReleaseTransfer = {
  ...{ partsFetched: 0, partsPatched: 0, partsReused: 0, bytesFetched: 0, changesBytesFetched: 0, deltaFailure: null },
};

/**
 * Throws ChannelError, PublishingError, SnapshotError, what node:fs throws, or the reason of `signal`; then `current` is
 * the same link as before.
 */
export async function pull(options: PullOptions): Promise<PullReport> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true });
  const lockFd = openLockFile(join(folder, LOCK_FILE), 0o644);
  try {
    requireTaken(requireLocks().tryLock(lockFd, 'exclusive'), folder, () => {
      return new ChannelError('PULL_RUNNING', `another pull fills ${folder}`, 'let it end');
    });
    return await pullAlone(options);
  } catch (error) {
    throw isDiskFull(error) ? noSpace(`${folder}: ${messageOf(error)}`) : error;
  } finally {
    closeSync(lockFd);
  }
}

async function pullAlone(options: PullOptions): Promise<PullReport> {
  const { source, channel, folder } = options;
  const known = readPullState(folder, channel);
  // A snapshot that is gone, or of another format version, is fetched again.
  const followed = isServable(folder) && isFollowed(folder, channel) ? known : undefined;
  const found = await fetchChannel(options, channel, followed);
  if (found === 'unchanged') return reportOf(followed as PullState, folder);
  const { file, etag } = found;
  if (known !== undefined && isBehind(file, known)) throw sequenceLower(file, known);
  const state: PullState = { ...file, etag, source: source.name };
  if (file.sequence === followed?.sequence) {
    writePullState(folder, stateOf(state));
    return reportOf(state, folder);
  }
  const release = await fetchRelease(options, file.release);
  const transfer = await bring(release, options);
  await pruneSnapshots(folder, options.keep);
  // The last step: a pull that is killed before does all of them again.
  writePullState(folder, stateOf(state));
  return { ...reportOf(state, folder), ...transfer, changed: true };
}

/** Whether the file is older than what is known, or of the same number and another release. */
function isBehind({ sequence, release }: ChannelFile, known: PullState): boolean {
  return sequence < known.sequence || (sequence === known.sequence && release !== known.release);
}

function stateOf({ channel, release, sequence, changedAt, etag, source }: PullState): PullState {
  return { channel, release, sequence, changedAt, etag, source };
}

function reportOf({ channel, release, sequence, changedAt }: PullState, folder: string): PullReport {
  const isInService = readCurrent(folder) === snapshotName(release);
  return {
    ...{ channel, release, sequence, changedAt, isInService },
    ...{ changed: false, ...NOTHING_FETCHED },
  };
}

function sequenceLower(file: ChannelFile, known: PullState): ChannelError {
  return new ChannelError(
    'SEQUENCE_LOWER',
    `the channel ${file.channel} has sequence number ${file.sequence} for ${file.release}, after ${known.sequence} for ${known.release}`,
    'an old state is shown again: look at the host; a rollback by the publisher has a higher number',
  );
}

/** Puts a release in service, with its snapshot from the folder or from the source. */
async function bring(release: ReleaseFile, options: PullOptions): Promise<ReleaseTransfer> {
  const { folder, check, signal } = options;
  const name = snapshotName(release.name);
  const path = join(folder, name);
  // Open, it is protected from `prune`.
  const existing = openSharedIfPossible(path);
  try {
    if (existing !== undefined && (await isSound(path, release, options))) {
      const bytesFetched = await bringChanges(release, options);
      await putInService(folder, name, undefined);
      const partsReused = release.parts.length;
      return { ...NOTHING_FETCHED, partsReused, bytesFetched, changesBytesFetched: bytesFetched };
    }
  } finally {
    if (existing !== undefined) closeSync(existing);
  }
  const partial = resumePartial(path);
  // Not this one, which is locked by now.
  removeStalePartials(folder, isPublishedFile);
  let isUsable = true;
  try {
    const transfer = await fillSnapshot(partial.fd, release, options);
    isUsable = (await sha256OfFile(partial.fd, signal)) === release.sha256;
    if (!isUsable) {
      throw damaged(`the snapshot of ${release.name}`);
    }
    await sync(partial.fd);
    const { id } = await check(partial.path, signal);
    if (id !== release.id) throw damaged(`the manifest of ${release.name}`);
    const changesBytesFetched = await bringChanges(release, options);
    signal.throwIfAborted();
    fchmodSync(partial.fd, 0o444);
    await putInService(folder, name, partial);
    const bytesFetched = transfer.bytesFetched + changesBytesFetched;
    return { ...transfer, bytesFetched, changesBytesFetched };
  } finally {
    if (isUsable) partial.leave();
    else partial.discard();
  }
}

/**
 * Puts the list of what the release changes beside its snapshot, before anybody serves that. Returns the length of the
 * fetched files.
 */
async function bringChanges({ name, changes }: ReleaseFile, { folder, source, signal }: PullOptions): Promise<number> {
  const path = join(folder, changesFileOf(snapshotName(name)));
  if (changes === null || existsSync(path)) return 0;
  const partial = createPartial(path);
  try {
    ftruncateSync(partial.fd, changes.bytes);
    const { bytesFetched } = await fetchParts(source, partial.fd, changes.parts, () => {});
    if ((await sha256OfFile(partial.fd, signal)) !== changes.sha256) throw damaged(`the list of changes of ${name}`);
    await sync(partial.fd);
    partial.publish();
    return bytesFetched;
  } finally {
    partial.discard();
  }
}

function damaged(what: string): ChannelError {
  return new ChannelError(
    'FILE_DAMAGED',
    `${what} has another digest than the release file says`,
    'publish the release again',
  );
}

async function isSound(path: string, { id }: ReleaseFile, { check, signal }: PullOptions): Promise<boolean> {
  return await check(path, signal).then(
    (checked) => checked.id === id,
    () => {
      signal.throwIfAborted();
      return false;
    },
  );
}
