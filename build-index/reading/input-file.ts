/**
 * Opens the files that a build reads, and limits their size. Only regular files are read: a named pipe, a device or a
 * socket could block a build or feed it for ever, so it is refused before a read. The check uses the open descriptor,
 * so that nobody can replace the file between check and read.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { ReleaseError } from './release-error.js';

/** Several times the sizes that GeoNames publishes in 2026, so that a release may grow for years. */
export const INPUT_LIMITS = {
  /** Maximum length of a zip archive, in bytes: the longest, alternateNamesV2.zip, has 0.2 GB. */
  zipBytes: 1e9,
  /** Maximum number of entries of a zip archive: GeoNames' have a table or two and a readme. */
  zipEntries: 100,
  /** Maximum length of a table, unpacked, in bytes: the longest, alternateNamesV2.txt, has 0.75 GB. */
  textBytes: 2e9,
  /**
   * Maximum length of all postal tables together, unpacked, in bytes: 0.6 GB fill the longest snapshot there can be.
   */
  releaseTextBytes: 1e9,
  /** Maximum length of countryInfo.txt, in bytes: it has 31 kB. */
  countryInfoBytes: 1e6,
} as const;

interface OpenInput {
  readonly fd: number;
  readonly bytes: number;
}

/** Keeps the opening of a named pipe without a writer from blocking. Windows has neither the flag nor such pipes. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function openRegularFile(path: string): OpenInput {
  const fd = openSync(path, READ_AT_ONCE);
  const info = fstatSync(fd);
  if (info.isFile()) return { fd, bytes: info.size };
  closeSync(fd);
  throw new ReleaseError(`${path}: cannot be read: it is no regular file`);
}

/** Opens a regular file of at most `maxBytes` bytes. Throws ReleaseError; its cause is the error of node:fs. */
export function openInput(path: string, maxBytes: number): OpenInput {
  const input = openReadable(path);
  if (input.bytes <= maxBytes) return input;
  closeSync(input.fd);
  throw tooLargeInput(path, input.bytes, maxBytes);
}

function openReadable(path: string): OpenInput {
  try {
    return openRegularFile(path);
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadableInput(path, error);
  }
}

/** The text of a regular file of at most `maxBytes` bytes. */
export function readSmallInput(path: string, maxBytes: number): string {
  const { fd } = openInput(path, maxBytes);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** The length of a regular file of at most `maxBytes` bytes. */
export function measureInput(path: string, maxBytes: number): number {
  const { fd, bytes } = openInput(path, maxBytes);
  closeSync(fd);
  return bytes;
}

export function unreadableInput(path: string, error: unknown): ReleaseError {
  // A message about a zip archive may contain the name of an entry, which may be hostile.
  return new ReleaseError(`${path}: cannot be read: ${escapeUnprintable((error as Error).message)}`, { cause: error });
}

/** `what` is a path or another description of the input. */
export function tooLargeInput(what: string, bytes: number, maxBytes: number): ReleaseError {
  return new ReleaseError(`${what}: too large to be read: ${bytes} bytes, of at most ${maxBytes}`);
}
