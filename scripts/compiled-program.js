/**
 * Whether dist has the program of the sources as they are, and the files in dist that tell it. The starter data have a check
 * of their own (starter-data.js).
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestChange } from './newest-change.js';

/** An empty file, as old as the sources that are compiled in dist; written when everything is there. */
export const COMPILED = 'dist/compiled';

/** A file with a digest of the builder: see builder-digest.js. */
export const BUILDER_DIGEST = 'dist/builder.sha256';

/** Files of packages and the clients are copied into dist/src/site/assets. */
export const PROGRAM_SOURCES = [
  ...['src', 'build-index', 'cli', 'demo', 'generate', 'clients', 'scripts', 'package.json', 'package-lock.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'tsconfig.library.json'],
];

export function isProgramCompiled(root) {
  const compiled = join(root, COMPILED);
  return existsSync(compiled) && statSync(compiled).mtimeMs >= newestChange(root, PROGRAM_SOURCES);
}
