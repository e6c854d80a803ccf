/**
 * The secret of a fresh checkout, under which the site seals the keys of accounts: made once, and kept in a file of the
 * private folder, so that keys can still be shown after a restart.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../src/base/errors.js';
import { makeFolder } from '../src/base/make-folder.js';
import { createOwnFile } from '../src/base/own-file.js';

const FILE = 'site-secret';
const LEAST_LENGTH = 32;

/** 43 characters. */
export function provideSiteSecret(keysDirectory: string): string {
  const file = join(keysDirectory, FILE);
  if (!existsSync(file)) writeSecret(keysDirectory, file);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < LEAST_LENGTH) throw new StartError(`KEYS_DIR: ${file} holds no secret: remove it`);
  return secret;
}

/** Writes a secret whole or not at all. Of two programs that start at once, both use the secret of the first. */
function writeSecret(folder: string, file: string): void {
  makeFolder(folder, 0o700);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.new`;
  const fd = createOwnFile(temporary, 0o600);
  try {
    writeFileSync(fd, `${randomBytes(32).toString('base64url')}\n`);
    fsyncSync(fd);
    // Unlike a rename, a link leaves the file of the other program.
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(fd);
    rmSync(temporary);
  }
}
