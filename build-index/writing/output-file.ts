/**
 * The files that commands write for their callers, such as that of --out. No output takes the place of a file that the
 * command reads, of the link that says which snapshot is in service, or, unless it is a snapshot itself, of a snapshot.
 * Those are refused before anything is written. An output gets its name when it is whole and synced; until then, and
 * after a failure, the file of before has the name.
 */

import {
  type BigIntStats,
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeDurable } from '../../src/base/durable-files.js';
import { ExpectedError } from '../../src/base/errors.js';
import { HEADER_BYTES, hasSnapshotHeader } from '../../src/core/snapshot/header.js';
import { createPartial, type PartialFile, removeStalePartials } from '../../src/releases/files/partial-file.js';
import { CURRENT, readCurrent } from '../../src/releases/folder/published-folder.js';

interface OutputRules {
  /** What the command reads: paths, of which some may lead nowhere, and open files such as standard input. */
  readonly inputs: readonly (string | number)[];
  /** Whether the output is a snapshot, and so may take the place of an older one. */
  readonly isSnapshot: boolean;
}

export function checkOutput(path: string, { inputs, isSnapshot }: OutputRules): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink && basename(path) === CURRENT && readCurrent(dirname(path)) !== undefined) {
    throw new ExpectedError(
      `${path} says which snapshot is in service, and is not replaced: name another file, and publish it`,
    );
  }
  const found = statsOf(path);
  if (found === undefined) return;
  if (found.isDirectory()) throw new ExpectedError(`${path}: is a folder; give the name of a file`);
  // Input and output may be one device or terminal.
  if (!found.isFile()) return;
  const isFound = (input: BigIntStats | undefined): boolean => input?.ino === found.ino && input.dev === found.dev;
  if (inputs.some((input) => isFound(statsOf(input)))) {
    throw new ExpectedError(`${path} is a file that this command reads, and is not replaced: name another file`);
  }
  if (!isSnapshot && hasSnapshotHeader(readStart(path))) {
    throw new ExpectedError(`${path} is a snapshot, and is replaced by nothing else: name another file`);
  }
}

/** With whole numbers of any length: as other numbers, those of two files of some file systems would be the same. */
function statsOf(file: string | number): BigIntStats | undefined {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  return typeof file === 'number' ? fstatSync(file, options) : statSync(file, options);
}

function readStart(path: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(HEADER_BYTES);
    return bytes.subarray(0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/** The new output, whose `publish` also syncs its name. */
export function createOutput(path: string, rules: OutputRules): PartialFile {
  checkOutput(path, rules);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new ExpectedError(`${path} is no regular file, and is not replaced`);
  }
  removeStalePartials(dirname(path), (name) => name === basename(path));
  const partial = createPartial(path);
  return {
    ...partial,
    publish() {
      partial.publish();
      makeDurable(dirname(path));
    },
  };
}

/** Writes a file that must not be there yet. */
export function writeNewFile(path: string, text: string, mode: number): void {
  const fd = openNew(path, mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExpectedError(`${path} is there already, and is not replaced; name another file`);
  }
}
