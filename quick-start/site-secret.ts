/**
 * The secret of a fresh checkout, under which the site seals the keys of accounts: made once, and kept in a file of the
 * private folder, so that keys can still be shown after a restart.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnFile } from '../src/platform/own-file.js';
import { StartError } from '../src/start-error.js';

const FILE = 'site-secret';
const LEAST_LENGTH = 32;

/** 43 characters. Throws StartError where the file holds no secret. */
export function provideSiteSecret(keysDirectory: string): string {
  const file = join(keysDirectory, FILE);
  if (!existsSync(file)) writeSecret(keysDirectory, file);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < LEAST_LENGTH) throw new StartError(`KEYS_DIR: ${file} holds no secret: remove it`);
  return secret;
}

/** Whole or not at all; of two starts at once the first one's secret stays. */
function writeSecret(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  const fd = createOwnFile(partial, 0o600);
  try {
    writeFileSync(fd, `${randomBytes(32).toString('base64url')}\n`);
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(fd);
    rmSync(partial);
  }
}
