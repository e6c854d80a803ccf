/**
 * Opens files for writing in folders where other users may write too. Such a user can put a link or a pipe where this
 * program will look for its unfinished file, and the names of most of these can be guessed. So every such file is opened
 * here: a link is never followed, and only a regular file of this user with one name is written to. Where Windows lacks
 * links and owners, the checks of them are void.
 */
import { closeSync, constants, fstatSync, openSync, rmSync } from 'node:fs';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_WRONLY } = constants;
/** Follows no link, and does not wait for the other end of a pipe. */
export const UNFOLLOWED = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** What opening nothing, a link, a pipe, a socket, a folder, or a file of another user fails with. */
const NOT_OWN = ['ENOENT', 'ELOOP', 'EMLINK', 'ENXIO', 'EISDIR', 'EACCES', 'EPERM'];

/**
 * Opens a file that an earlier run of this user left, for reading and writing, as it is; with a `createMode`, also
 * creates it. Undefined where there is none, or anything else has the name: createOwnFile replaces that. Throws what
 * node:fs throws otherwise.
 */
export function openOwnFile(path: string, createMode?: number): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDWR | UNFOLLOWED | (createMode === undefined ? 0 : O_CREAT), createMode);
  } catch (error) {
    if (NOT_OWN.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  const found = fstatSync(fd);
  if (found.isFile() && found.nlink === 1 && found.uid === (process.geteuid?.() ?? found.uid)) return fd;
  closeSync(fd);
  return undefined;
}

/** Creates an empty file for reading and writing, in place of anything but a folder. Throws what node:fs throws. */
export function createOwnFile(path: string, mode: number): number {
  rmSync(path, { force: true });
  // With O_EXCL, a link that somebody puts there meanwhile is an error too.
  return openSync(path, O_RDWR | O_CREAT | O_EXCL, mode);
}

/**
 * Opens the file of a lock, and creates it where it is missing. Nothing is ever written to it, so another user may own
 * it. A link there is an error and is not replaced: of two processes that replaced it, each would have a lock of its
 * own. Throws what node:fs throws.
 */
export function openLockFile(path: string, mode: number): number {
  return openSync(path, O_WRONLY | O_CREAT | O_APPEND | UNFOLLOWED, mode);
}
