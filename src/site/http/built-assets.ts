/**
 * Stylesheets, scripts, the icon, the clients to install and the elements for web pages, read into memory at the start
 * from the folder that the build fills. Their addresses contain a digest of all of them, so browsers keep them for
 * good, and request others after a change. The clients and the elements also have addresses without the digest, for
 * other programs and pages.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot, packageVersion } from '../../base/package-root.js';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The elements for web pages, as one script. */
export interface WebModule {
  readonly name: string;
  readonly version: string;
  /** For the attribute `integrity`: the algorithm, then the digest in base64. */
  readonly integrity: string;
  /** Bytes after compression with gzip. */
  readonly compressedByteCount: number;
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
  readonly webModule: WebModule;
}

/** The name of the bundle of clients/web. */
const WEB_MODULE = 'postal-places.js';

/** The media types of packages for npm and Python. */
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
  const webModule = describeWebModule(files.get(WEB_MODULE)?.bytes, folder);
  return { path: `/assets/${digest}`, digest, find: (name) => files.get(name), clients, webModule };
}

function describeWebModule(bytes: Buffer | undefined, folder: string): WebModule {
  if (bytes === undefined) throw new Error(`${join(folder, WEB_MODULE)} is missing: npm run build makes it`);
  return {
    name: WEB_MODULE,
    version: packageVersion(),
    integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}`,
    compressedByteCount: gzipSync(bytes, { level: 9 }).length,
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new Error(`${folder} can't be read: npm run build makes it`, { cause: error });
  }
}
