/**
 * The secret of a fresh checkout, under which the site seals the keys of accounts: made once, and kept in a file of the
 * private folder, so that keys can still be shown after a restart.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../src/base/durable-files.js';
import { StartError } from '../src/base/errors.js';
import { makeFolder } from '../src/base/make-folder.js';

const FILE = 'site-secret';
const LEAST_LENGTH = 32;

/** 43 characters. */
export function provideSiteSecret(keysDirectory: string): string {
  const file = join(keysDirectory, FILE);
  if (!existsSync(file)) {
    makeFolder(keysDirectory, 0o700);
    replaceFile(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < LEAST_LENGTH) throw new StartError(`KEYS_DIR: ${file} holds no secret: remove it`);
  return secret;
}
