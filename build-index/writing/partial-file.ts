/**
 * A file on its way to its final name: ".<name>.<random>.partial" in the same folder. Who writes one keeps it open and
 * locked (shared), and the kernel gives the lock up with the process, however that ends; so a partial file that can be
 * locked alone was left behind by a process that was killed, in whatever container, and the next run removes it. Where
 * files can't be locked (Windows), nobody can tell, and it stays.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { libc } from '../../src/libc.js';

export interface PartialFile {
  readonly path: string;
  /** Open for reading and writing. */
  readonly fd: number;
  /** The name of a folder for what is set aside until the end. It goes with the partial file. */
  readonly scratchFolder: string;
  /** Gives the file its final name, in one step; `syncFolder` makes the name last. */
  publish(): void;
  /** Closes the file, and removes it unless it has been published. A process that ends without it does so at its end. */
  discard(): void;
}

const SCRATCH = '.countries';
const PARTIAL_NAME = /^\.(.+)\.[0-9a-f]{12}\.partial(?:\.countries)?$/s;

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
    // Somebody who tidies up may have come in between.
    if (libc()?.tryLock(fd, 'shared') !== 'held' && fstatSync(fd).nlink > 0) return { path, fd };
    closeSync(fd);
  }
}

/** Removes the partial files in `folder` that nobody writes any more and whose final name is one of ours. Their number. */
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

/** Removes it while it is locked alone, or one that is just being made could come in between. */
function removeIfStale(path: string): boolean {
  // A folder goes before its file, so it is never one's that is at work.
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

/** Undefined for a file that has gone meanwhile, or is another user's own. */
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
