/**
 * Writes dist/builder.sha256, a digest of the code that a build of a snapshot runs, and of the packages that it may import.
 * Comments, and functions of core that no build calls, don't count. The file is written only where the digest differs, so
 * its time tells which snapshots are older than the builder.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUILDER_DIGEST } from './compiled-program.js';

const ENTRY_POINTS = ['build-index/building/build-snapshot.ts', 'build-index/tasks/task-thread.ts'];

/**
 * Call it before the sources are compiled: where a source changes between the two, the next call finds another digest. The
 * file stays as it is where a source can't be read, which the compiler or the start of the program shows.
 */
export function writeBuilderDigest(root) {
  const digest = digestBuilder(root);
  const path = join(root, BUILDER_DIGEST);
  if (digest === undefined || (existsSync(path) && readFileSync(path, 'utf8') === digest)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, digest);
}

function digestBuilder(root) {
  const bundling = { bundle: true, splitting: true, minify: true, packages: 'external', write: false };
  const target = { outdir: 'builder', format: 'esm', platform: 'node', logLevel: 'silent' };
  try {
    const { outputFiles } = buildSync({ absWorkingDir: root, entryPoints: ENTRY_POINTS, ...bundling, ...target });
    const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
    for (const { contents } of outputFiles) hash.update(contents);
    return hash.digest('hex');
  } catch (error) {
    if (error.errors === undefined) throw error;
    return undefined;
  }
}
