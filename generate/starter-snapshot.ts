/**
 * The snapshot behind the examples in the description: all countries of the starter dataset, compiled by the builder as by
 * hand. Tests ask it too.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/platform/package-root.js';
import { STARTER_RELEASE } from '../src/snapshots/starter-data.js';

/** Compiles data/starter, which is a release like any other. Costs some ten seconds. */
export async function compileStarterSnapshot(snapshotFile: string, siteUrl: string): Promise<void> {
  const program = join(packageRoot(), 'dist/cli/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', siteUrl];
  const args = ['build', join(packageRoot(), 'data/starter'), '--out', snapshotFile, ...names, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]);
}
