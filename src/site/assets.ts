/**
 * Stylesheets, scripts and the icon, read into memory at the start from the folder that the build fills. Their
 * addresses have a digest of them all, so browsers keep them for good and ask for others once they have changed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../platform/package-root.js';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Assets {
  /** A path without a slash at the end. */
  readonly path: string;
  readonly digest: string;
  find(name: string): Asset | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Throws an Error with a remedy if the build has not filled the folder. */
export function readAssets(folder = join(packageRoot(), 'dist/src/site/assets')): Assets {
  const files = new Map<string, Asset>();
  const hash = createHash('sha256');
  for (const name of listFiles(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`${join(folder, name)} is of no type that the site serves`);
    const bytes = readFileSync(join(folder, name));
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    files.set(name, { type, bytes });
  }
  const digest = hash.digest('hex').slice(0, 16);
  return { path: `/assets/${digest}`, digest, find: (name) => files.get(name) };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new Error(`${folder} can't be read: npm run build makes it`, { cause: error });
  }
}
