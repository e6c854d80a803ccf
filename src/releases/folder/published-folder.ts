/**
 * A folder of published snapshots, as `postal-places publish` and `pull` make it and a server follows it: whole, read-only
 * files (published-name.ts), `current`, a symbolic link to one of them that is only ever replaced in one step, and
 * "history.json". A server ignores every other file of the folder.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { replaceFile, syncPath } from '../../base/durable-files.js';
import type { PartialFile } from '../files/partial-file.js';
import { withFolderLocked } from './folder-lock.js';
import { type PublishedSnapshot, parsePublishedName } from './published-name.js';

export const CURRENT = 'current';

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
 * concurrent publication is in the list or not.
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

/* Puts a snapshot in service. */

/**
 * The last step of `publish` and of `pull`: points `current` to the file `name`, which the folder has, and the caller
 * keeps open so that `prune` does not remove it, or which `partial` becomes in the same step. Returns the name of the
 * snapshot that `rollback` would put in service; null for none. Throws PublishingError, or what node:fs throws; then
 * `current` is the same link as before.
 */
export async function putInService(
  folder: string,
  name: string,
  partial: PartialFile | undefined,
): Promise<string | null> {
  await withFolderLocked(folder, () => {
    const history = readHistory(folder, readCurrent(folder));
    const isCurrent = history.at(-1)?.name === name;
    flipCurrent(folder, name, () => {
      writeHistory(folder, isCurrent ? history : [...history, { name, publishedAt: new Date().toISOString() }]);
      partial?.publish();
    });
  });
  return listSnapshots(folder).find(({ previous }) => previous)?.name ?? null;
}

/**
 * Points `current` to the file `name`, after `prepare`. Every step that can fail on a full disk happens before the
 * rename that replaces the link. Only for withFolderLocked, since the temporary link's name is fixed.
 */
export function flipCurrent(folder: string, name: string, prepare: () => void = () => {}): void {
  const temporary = join(folder, `.${CURRENT}.new`);
  rmSync(temporary, { force: true });
  try {
    symlinkSync(name, temporary);
    prepare();
    // The file's name must be durable before the link to it.
    syncPath(folder);
    renameSync(temporary, join(folder, CURRENT));
    syncPath(folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces the history atomically. Only for withFolderLocked, since the temporary file's name is fixed. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify(entries, null, 2)}\n`);
}
