/** Writes files that survive a power cut: a reader finds the complete old text or the complete new one. */

import {
  closeSync,
  fsync,
  fsyncSync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createOwnFile } from './own-file.js';

export interface ReplaceOptions {
  /** The time of change that the file gets, in seconds since 1970; without it, that of the system's clock. */
  readonly modifiedSeconds?: number;
  /** The rights of the file; 0o644 unless given. */
  readonly mode?: number;
}

/**
 * Writes `text` to ".<name>.new" beside the file (without a second dot if the name has one), and renames that file. For
 * one process at a time, since the temporary name is fixed. makeDurable makes the new name durable.
 */
export function replaceFile(path: string, text: string, { modifiedSeconds, mode = 0o644 }: ReplaceOptions = {}): void {
  const temporary = join(dirname(path), `.${basename(path).replace(/^\./, '')}.new`);
  try {
    const fd = createOwnFile(temporary, mode);
    try {
      writeFileSync(fd, text);
      if (modifiedSeconds !== undefined) futimesSync(fd, modifiedSeconds, modifiedSeconds);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Repeats writeSync, which may write fewer bytes than given: near a full disk, or beyond 2 GiB. */
export function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), position + done);
  }
}

/** Flushes an open file to disk. */
export const syncFile: (fd: number) => Promise<void> = promisify(fsync);

/** Flushes a file, or the names in a folder, to disk, so that they survive a power cut. */
export function makeDurable(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
