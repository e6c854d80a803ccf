/**
 * A folder of published snapshots, as `postal-places publish` and `pull` make it and a server follows it: whole, read-only
 * files (published-name.ts), `current`, a symbolic link to one of them that is only ever replaced in one step, and
 * "history.json" (publication-history.ts). A server ignores every other file of the folder.
 */

import { lstatSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeDurable } from '../../base/durable-files.js';
import type { PartialFile } from '../files/partial-file.js';
import { withFolderLocked } from './folder-lock.js';
import { readHistory, writeHistory } from './publication-history.js';
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
export function listPublishedSnapshots(folder: string): ListedSnapshot[] {
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
export async function putPublishedInService(
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
  return listPublishedSnapshots(folder).find(({ previous }) => previous)?.name ?? null;
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
    makeDurable(folder);
    renameSync(temporary, join(folder, CURRENT));
    makeDurable(folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}
