/**
 * The secret of a fresh checkout, under which the site seals the keys of accounts: made once, and kept in a file of the
 * private folder, so that keys can still be shown after a restart.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'site-secret';

/** 43 characters. */
export function provideSiteSecret(keysDirectory: string): string {
  const file = join(keysDirectory, FILE);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = randomBytes(32).toString('base64url');
  mkdirSync(keysDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}
