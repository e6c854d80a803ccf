/**
 * Stylesheets, scripts, the icon and the clients to install, read into memory at the start from the folder that the build
 * fills. Their addresses have a digest of them all, so browsers keep them for good and ask for others once they have
 * changed; the clients have addresses without it too, to be installed from.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../platform/package-root.js';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A client to install. */
export interface ClientPackage {
  readonly name: string;
  readonly byteCount: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Assets {
  /** A path without a slash at the end. */
  readonly path: string;
  readonly digest: string;
  find(name: string): Asset | undefined;
  /** Ascending by name. */
  readonly clients: readonly ClientPackage[];
}

/** Of packages: npm's and Python's. */
const PACKAGE_TYPES: Readonly<Record<string, string>> = { '.tgz': 'application/gzip', '.whl': 'application/zip' };

const TYPES: Readonly<Record<string, string>> = {
  ...PACKAGE_TYPES,
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
  const clients = [...files].flatMap(([name, { bytes }]) => {
    if (PACKAGE_TYPES[extname(name)] === undefined) return [];
    return { name, byteCount: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  return { path: `/assets/${digest}`, digest, find: (name) => files.get(name), clients };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new Error(`${folder} can't be read: npm run build makes it`, { cause: error });
  }
}
