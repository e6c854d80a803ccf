/**
 * Finds the snapshot to serve, and pins it. The source is a file or a folder of published snapshots, as `postal-places
 * publish` makes it and a server follows it: whole, read-only files named `<release>-<id>.snapshot`, and `current`, a
 * symbolic link to one of them that is only ever replaced in one step. Beside a snapshot may be its list of changes,
 * `<release>-<id>.changes.ndjson` (src/core/snapshot/changes-file.ts). A server ignores every other file of the folder.
 */

import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ExpectedError } from '../base/errors.js';
import { isReleaseName } from '../core/snapshot/release-name.js';
import { openShared } from '../core/snapshot/snapshot-file.js';
import { isSnapshotId } from '../core/snapshot/snapshot-id.js';

export interface PublishedSnapshot {
  readonly release: string;
  /** The id of the content, see Snapshot. */
  readonly id: string;
}

export const CURRENT = 'current';

const PUBLISHED_NAME = /^(.+)-([^-]+)\.snapshot$/;
const SNAPSHOT_ENDING = /\.snapshot$/;
const CHANGES_ENDING = '.changes.ndjson';

/**
 * The file name of a published snapshot; undefined if the name of its release can't be part of a file name.
 */
export function publishedName({ release, id }: PublishedSnapshot): string | undefined {
  return isReleaseName(release) && isSnapshotId(id) ? `${release}-${id}.snapshot` : undefined;
}

/** The release and id in a file name; undefined if it is not the name of a published snapshot. */
export function parsePublishedName(name: string): PublishedSnapshot | undefined {
  const [, release, id] = PUBLISHED_NAME.exec(name) ?? [];
  return isReleaseName(release) && isSnapshotId(id) ? { release, id } : undefined;
}

/** The name, or path, of the list of changes beside a snapshot's file of this name, or path. */
export function changesFileOf(snapshot: string): string {
  return snapshot.replace(SNAPSHOT_ENDING, '') + CHANGES_ENDING;
}

/** Whether `publish` and `pull` give a file this name: that of a published snapshot, or of the changes beside one. */
export function isPublishedFile(name: string): boolean {
  const snapshot = name.endsWith(CHANGES_ENDING) ? `${name.slice(0, -CHANGES_ENDING.length)}.snapshot` : name;
  return parsePublishedName(snapshot) !== undefined;
}

/**
 * The file name that `current` points to; undefined if there is no such link, or if it points to something else than a
 * snapshot of this folder. Throws the error of node:fs if the folder can't be read.
 */
export function readCurrent(folder: string): string | undefined {
  try {
    const path = resolve(folder, readlinkSync(join(folder, CURRENT)));
    const name = basename(path);
    return dirname(path) === resolve(folder) && parsePublishedName(name) !== undefined ? name : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EINVAL: `current` is no link.
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}

/*
 * "history.json" of a folder of published snapshots: which were put in service, oldest first. The history is written
 * before `current` is flipped, and `current` alone says which snapshot is in service: entries behind the snapshot that
 * `current` names never took effect, or were rolled back, and the next change drops them. Without a usable file the
 * history starts empty.
 */

export interface Publication {
  /** A file name, see parsePublishedName. */
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
}

export const HISTORY_FILE = 'history.json';

/** The part of the history that is in effect: it ends with `current`, and is empty where no snapshot is in service. */
export function readHistory(folder: string, current: string | undefined): readonly Publication[] {
  if (current === undefined) return [];
  const entries = parseHistory(folder);
  const last = entries.findLastIndex(({ name }) => name === current);
  if (last !== -1) return entries.slice(0, last + 1);
  // The file was lost, or `current` was changed by hand.
  const info = statSync(join(folder, current), { throwIfNoEntry: false });
  return [...entries, { name: current, publishedAt: (info?.mtime ?? new Date(0)).toISOString() }];
}

function parseHistory(folder: string): Publication[] {
  try {
    const entries: unknown = JSON.parse(readFileSync(join(folder, HISTORY_FILE), 'utf8'));
    return Array.isArray(entries) && entries.every(isPublication) ? entries : [];
  } catch {
    return [];
  }
}

function isPublication(value: unknown): value is Publication {
  const { name, publishedAt } = (value ?? {}) as Partial<Record<keyof Publication, unknown>>;
  return (
    typeof name === 'string' &&
    parsePublishedName(name) !== undefined &&
    typeof publishedAt === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(publishedAt)
  );
}

export interface ListedSnapshot extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** ISO 8601, UTC; the file's modification time if the history lacks the file. */
  readonly publishedAt: string;
  /** Whether it is in service. */
  readonly current: boolean;
  /** Whether `rollback` would put it in service. */
  readonly previous: boolean;
}

/**
 * First the snapshots that have been in service, latest first, then all others, newest first. Takes no lock: a
 * concurrent publication is in the list or not. Throws what node:fs throws.
 */
export function listSnapshots(folder: string): ListedSnapshot[] {
  const current = readCurrent(folder);
  const history = readHistory(folder, current);
  const files = readdirSync(folder).flatMap((name) => {
    const published = parsePublishedName(name);
    const info = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (published === undefined || !info?.isFile()) return [];
    const position = history.findLastIndex((entry) => entry.name === name);
    const publishedAt = history[position]?.publishedAt ?? info.mtime.toISOString();
    return [{ ...published, name, bytes: info.size, publishedAt, position }];
  });
  files.sort((a, b) => b.position - a.position || (a.publishedAt < b.publishedAt ? 1 : -1));
  const previous = files.find(({ name, position }) => position !== -1 && name !== current)?.name;
  return files.map(({ position: _, ...file }) => ({
    ...file,
    current: file.name === current,
    previous: file.name === previous,
  }));
}

export interface SnapshotLocation {
  /** The file's real path: a later change of `current` does not affect it. */
  readonly path: string;
  /** Path, device, inode, size and modification time: differs if another file replaces this one. */
  readonly identity: string;
}

/** The snapshot that the source names now. Throws ExpectedError that names the missing file or link, errors of node:fs. */
export function findSnapshot(source: string): SnapshotLocation {
  const path = infoOf(source).isDirectory() ? currentOf(source) : realpathSync(source);
  return { path, identity: identityOf(path, statSync(path, { bigint: true })) };
}

function infoOf(source: string): Stats {
  try {
    return statSync(source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ExpectedError(
      `${source} is not there (ENOENT); postal-places build makes a snapshot of what postal-places download fetches`,
    );
  }
}

/** The file that `current` names. */
function currentOf(folder: string): string {
  const link = join(folder, CURRENT);
  const name = readCurrent(folder);
  if (name === undefined) {
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
    throw new ExpectedError(
      isLink
        ? `${link} names ${readlinkSync(link)}, which is no published snapshot of that folder; postal-places publish sets it`
        : `${folder} has no "${CURRENT}", so no snapshot is in service there; postal-places publish puts one in service`,
    );
  }
  try {
    return realpathSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ExpectedError(
      `${link} names ${name}, which is not there; publish it again, or go back with postal-places rollback`,
    );
  }
}

/**
 * If the source is a folder: its snapshots except `path`, in the order of `list`. Throws the errors of node:fs.
 */
export function findOtherSnapshots(source: string, path: string): SnapshotLocation[] {
  if (!statSync(source).isDirectory()) return [];
  const folder = realpathSync(source);
  return listSnapshots(folder).flatMap(({ name }) => {
    const other = join(folder, name);
    const info = statSync(other, { bigint: true, throwIfNoEntry: false });
    return info === undefined || other === path ? [] : [{ path: other, identity: identityOf(other, info) }];
  });
}

export function identityOf(path: string, { dev, ino, size, mtimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs].join(' ');
}

/*
 * A pinned snapshot file is kept open with a shared lock. So the checked file is the opened file, `prune` does not remove
 * it, and a worker that starts later opens the same file even if another file has taken its name.
 */

export interface PinnedSnapshot extends SnapshotLocation {
  /** The path to open while the file is pinned, in any process of this user. */
  readonly openPath: string;
  /** The file's present identity: differs from `identity` if the file was written to or is inaccessible. */
  identityNow(): string;
  release(): void;
}

/** Throws SnapshotError FILE_UNREADABLE, or an Error if another file has taken the name. */
export function pinSnapshot({ path, identity }: SnapshotLocation): PinnedSnapshot {
  const fd = openShared(path);
  const identityNow = (): string => {
    try {
      return identityOf(path, fstatSync(fd, { bigint: true }));
    } catch (error) {
      // A network file system may have lost the file; the integrity check reports that.
      return `${path}: ${(error as Error).message}`;
    }
  };
  if (identityNow() !== identity) {
    closeSync(fd);
    throw new Error(`${path} was replaced a moment ago`);
  }
  // Elsewhere a process can't open a file through another process's descriptor.
  const openPath = process.platform === 'linux' ? `/proc/${process.pid}/fd/${fd}` : path;
  return { path, identity, openPath, identityNow, release: () => closeSync(fd) };
}
