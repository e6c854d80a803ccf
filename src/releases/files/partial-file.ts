/**
 * A temporary file that gets its final name when it is complete: ".<name>.<random>.partial" in the same folder. The
 * writing process keeps it open with a shared lock, which the kernel releases when the process ends. So a partial file
 * that can be locked exclusively belonged to a killed process, in any container, and the next run removes it. Without
 * file locks (Windows), such files stay.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { libc } from '../../base/libc.js';
import { openOwnFile, UNFOLLOWED } from '../../base/own-file.js';

export interface PartialFile {
  readonly path: string;
  /** Open for reading and writing. */
  readonly fd: number;
  /** The name of a folder for temporary files, which is removed with the partial file. */
  readonly scratchFolder: string;
  /** Renames the file to its final name atomically; makeDurable makes the name durable. */
  publish(): void;
  /** Closes the file, and leaves it to resumePartial. */
  leave(): void;
  /** Closes the file, and removes it unless it has been published. The file is also removed when the process exits. */
  discard(): void;
}

const SCRATCH = '.countries';
const PARTIAL_NAME = /^\.(.+)\.[0-9a-f]{12}\.partial(?:\.countries)?$/s;

/** Creates an empty partial file. */
export function createPartial(finalPath: string): PartialFile {
  return asPartial(finalPath, createLocked(finalPath), 'removed at exit');
}

/**
 * A partial file that stays when the process ends before it is published: with what a killed or failed process of the
 * same final name wrote, or empty.
 */
export function resumePartial(finalPath: string): PartialFile {
  return asPartial(finalPath, findStale(finalPath) ?? createLocked(finalPath), 'left at exit');
}

function findStale(finalPath: string): { path: string; fd: number } | undefined {
  const folder = dirname(finalPath);
  for (const name of readdirSync(folder)) {
    if (PARTIAL_NAME.exec(name)?.[1] !== basename(finalPath) || name.endsWith(SCRATCH)) continue;
    const path = join(folder, name);
    const fd = openOwnFile(path);
    if (fd === undefined) continue;
    const isStale = libc()?.tryLock(fd, 'exclusive') === 'taken';
    // Another process may have removed it before it was locked, or before the lock became a shared one.
    if (isStale && libc()?.tryLock(fd, 'shared') === 'taken' && fstatSync(fd).nlink > 0) return { path, fd };
    closeSync(fd);
  }
  return undefined;
}

function asPartial(
  finalPath: string,
  { path, fd }: { path: string; fd: number },
  fate: 'removed at exit' | 'left at exit',
): PartialFile {
  const scratchFolder = path + SCRATCH;
  let isPublished = false;
  const remove = (): void => {
    if (!isPublished) removePartial(path);
  };
  if (fate === 'removed at exit') process.once('exit', remove);
  return {
    path,
    fd,
    scratchFolder,
    publish() {
      rmSync(scratchFolder, { recursive: true, force: true });
      renameSync(path, finalPath);
      isPublished = true;
    },
    leave() {
      process.off('exit', remove);
      closeSync(fd);
    },
    discard() {
      process.off('exit', remove);
      remove();
      closeSync(fd);
    },
  };
}

function createLocked(finalPath: string): { path: string; fd: number } {
  for (;;) {
    const name = `.${basename(finalPath)}.${randomBytes(6).toString('hex')}.partial`;
    const path = join(dirname(finalPath), name);
    const fd = openSync(path, 'wx+', 0o644);
    // Another process may have removed this file as stale before it was locked.
    if (libc()?.tryLock(fd, 'shared') !== 'held' && fstatSync(fd).nlink > 0) return { path, fd };
    closeSync(fd);
  }
}

/** Removes the partial files in `folder` without a writer whose final name satisfies `isOurs`. Returns their number. */
export function removeStalePartials(folder: string, isOurs: (finalName: string) => boolean): number {
  let removed = 0;
  for (const name of readdirSync(folder)) {
    const [, finalName] = PARTIAL_NAME.exec(name) ?? [];
    if (finalName === undefined || !isOurs(finalName)) continue;
    const path = join(folder, name.endsWith(SCRATCH) ? name.slice(0, -SCRATCH.length) : name);
    if (removeIfStale(path)) removed++;
  }
  return removed;
}

/** Removes the partial file at `path` under an exclusive lock, so that no file of a live process is removed. */
function removeIfStale(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A scratch folder is removed before its partial file, so without the file no process uses the folder.
  if (found === undefined) {
    const isLeft = existsSync(path + SCRATCH);
    if (isLeft) rmSync(path + SCRATCH, { recursive: true, force: true });
    return isLeft;
  }
  // No program of ours makes a link or a pipe of this name.
  if (!found.isFile() && !found.isDirectory()) {
    rmSync(path, { force: true });
    return true;
  }
  const fd = found.isFile() ? openIfPossible(path) : undefined;
  if (fd === undefined) return false;
  try {
    if (libc()?.tryLock(fd, 'exclusive') !== 'taken') return false;
    removePartial(path);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Undefined for a file that no longer exists, or that this user may not open. */
function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, UNFOLLOWED);
  } catch {
    return undefined;
  }
}

function removePartial(path: string): void {
  rmSync(path + SCRATCH, { recursive: true, force: true });
  rmSync(path, { force: true });
}
