/**
 * Compiles the starter data: data/starter.snapshot, of some countries of data/starter. It is in no repository, since it
 * is large and the same files give the same bytes.
 */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { BUILDER_DIGEST } from './compiled-program.js';
import { newestChange } from './newest-change.js';
import { runNode } from './run-node.js';

const OUT = 'data/starter.snapshot';

/** What the snapshot's bytes depend on, beside the tables of data. */
const SOURCES = [
  ...[BUILDER_DIGEST, 'src/releases/packaged/packaged-release.ts', 'scripts/starter-data.js', 'package.json'],
  'data/starter',
];

/** Whether the snapshot is not there, or older than a source. */
export function isStarterDataDue(root) {
  const out = join(root, OUT);
  const tables = readdirSync(join(root, 'data')).filter((name) => name.endsWith('.tsv'));
  const sources = [...SOURCES, ...tables.map((name) => join('data', name))];
  return !existsSync(out) || statSync(out).mtimeMs <= newestChange(root, sources);
}

/** Compiles the snapshot if it is due; `signal` ends the builder. */
export async function buildStarterData(root, signal) {
  if (!isStarterDataDue(root)) return;
  const startedAt = new Date();
  const out = join(root, OUT);
  const compiled = join(root, 'dist/src/releases/packaged/packaged-release.js');
  const { STARTER_COUNTRIES, STARTER_RELEASE, PACKAGED_SITE_URL, packagedRelease } = await import(compiled);
  const program = join(root, 'dist/cli/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', PACKAGED_SITE_URL];
  const countries = ['--countries', STARTER_COUNTRIES.join()];
  process.stdout.write('Compiling the starter data …\n');
  await runNode(
    [program, 'build', packagedRelease(), '--out', out, ...names, ...countries, '--json'],
    ['ignore', 'ignore', 'inherit'],
    { signal },
  );
  // A source that has changed meanwhile is newer.
  utimesSync(out, startedAt, startedAt);
}
