/**
 * A file on its way to its final name: ".<name>.<random>.partial" in the same folder. The process that writes a partial
 * file keeps it open and locked (shared), and the kernel gives the lock up with the process, however that ends; so a
 * partial file that can be locked alone was left behind by a process that was killed, in whatever container, and the
 * next run removes the file. Where files can't be locked (Windows), a partial file that was left behind stays.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { libc } from '../../src/platform/libc.js';

export interface PartialFile {
  readonly path: string;
  /** Open for reading and writing. */
  readonly fd: number;
  /** The name of a folder for temporary files. The folder goes with the partial file. */
  readonly scratchFolder: string;
  /** Gives the file its final name, in one step; syncPath makes the name last. */
  publish(): void;
  /** Closes the file, and removes it unless it has been published. A process that exits removes the file, too. */
  discard(): void;
}

const SCRATCH = '.countries';
const PARTIAL_NAME = /^\.(.+)\.[0-9a-f]{12}\.partial(?:\.countries)?$/s;

/** Throws an Error where something other than a regular file has the name: a device or a pipe would be gone. */
export function checkReplaceable(finalPath: string): void {
  const found = statSync(finalPath, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new Error(`${finalPath} is no regular file, and is not replaced`);
}

/** Creates an empty partial file. Throws what node:fs throws. */
export function createPartial(finalPath: string): PartialFile {
  const { path, fd } = createLocked(finalPath);
  const scratchFolder = path + SCRATCH;
  let isPublished = false;
  const remove = (): void => {
    if (!isPublished) removePartial(path);
  };
  process.once('exit', remove);
  return {
    path,
    fd,
    scratchFolder,
    publish() {
      rmSync(scratchFolder, { recursive: true, force: true });
      renameSync(path, finalPath);
      isPublished = true;
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
    // Another process that removes stale partial files may have removed this one before it was locked.
    if (libc()?.tryLock(fd, 'shared') !== 'held' && fstatSync(fd).nlink > 0) return { path, fd };
    closeSync(fd);
  }
}

/** Removes the partial files in `folder` that no process writes and whose final name `isOurs`. Returns their number. */
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

/** Removes the partial file at `path` while it is locked alone: a file that is just being made stays its maker's. */
function removeIfStale(path: string): boolean {
  // A scratch folder is removed before its partial file, so a scratch folder without a file belongs to no process.
  if (!existsSync(path)) {
    const isLeft = existsSync(path + SCRATCH);
    if (isLeft) rmSync(path + SCRATCH, { recursive: true, force: true });
    return isLeft;
  }
  const fd = openIfPossible(path);
  if (fd === undefined) return false;
  try {
    if (libc()?.tryLock(fd, 'exclusive') !== 'taken') return false;
    removePartial(path);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Undefined for a file that has gone meanwhile, or that this user may not open. */
function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function removePartial(path: string): void {
  rmSync(path + SCRATCH, { recursive: true, force: true });
  rmSync(path, { force: true });
}
