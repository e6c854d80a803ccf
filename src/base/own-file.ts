/**
 * Opens files for writing in folders where other users may write too. Such a user can put a link or a pipe where this
 * program will look for its unfinished file, and the names of most of these can be guessed. So every such file is opened
 * here: a link is never followed, and only a regular file of this user with one name is written to. Where Windows lacks
 * links and owners, the checks of them are void.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessageOf } from './errors.js';

const { O_CREAT, O_EXCL, O_RDWR } = constants;
/** Follows no link, and does not wait for the other end of a pipe. */
export const UNFOLLOWED = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** The right of the group and of anybody else to write, and that of anybody else. */
const OTHERS_WRITE = 0o022;
const ANYBODY_WRITES = 0o002;
/** The bit of a folder such as /tmp where each user may remove and rename what is the user's own. */
const STICKY = 0o1000;
/** What opening nothing, a link, a pipe, a socket, a folder, or a file of another user fails with. */
const NOT_OWN = ['ENOENT', 'ELOOP', 'EMLINK', 'ENXIO', 'EISDIR', 'EACCES', 'EPERM'];

/**
 * Opens a file that an earlier run of this user left, for reading and writing, as it is; with a `createMode`, also
 * creates it. Undefined where there is none, or anything else has the name: createOwnFile replaces that.
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

/**
 * Why another user may have put there what is at the path, or may put something else there; undefined where the file or the
 * folder is this user's and nobody else may write it, and where there is nothing. No link is followed.
 */
export function findForeignAccess(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return `${path} is a link`;
    // Windows has neither owners nor such rights.
    if (process.geteuid === undefined) return undefined;
    if (found.uid !== process.geteuid()) return `${path} belongs to another user`;
    if ((found.mode & OTHERS_WRITE) !== 0) return `others may write to ${path}, until chmod go-w`;
    const parent = dirname(path);
    const { mode } = statSync(parent);
    // Groups of one user, who makes folders for the group, are common.
    if ((mode & ANYBODY_WRITES) === 0 || (mode & STICKY) !== 0) return undefined;
    return `anybody may write to ${parent}, and replace what is there, until chmod +t`;
  } catch (error) {
    return errorMessageOf(error);
  }
}

/** Creates an empty file for reading and writing, in place of anything but a folder. */
export function createOwnFile(path: string, mode: number): number {
  rmSync(path, { force: true });
  // With O_EXCL, a link that somebody puts there meanwhile is an error too.
  return openSync(path, O_RDWR | O_CREAT | O_EXCL, mode);
}
