/** The snapshot of a fresh checkout: the starter dataset, compiled by the builder as by hand. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeStarterRelease } from '../build-index/starter.js';
import { packageRoot } from '../src/package-root.js';

export const STARTER_RELEASE = 'starter';

/** Writes the release into the folder `starter` beside the snapshot file, and compiles it. Costs some seconds. */
export async function compileStarterSnapshot(snapshotFile: string): Promise<void> {
  const folder = join(dirname(snapshotFile), 'starter');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeStarterRelease(folder);
  // A process of its own: the server that this one becomes has no use for the builder's memory.
  const program = join(packageRoot(), 'dist/build-index/main.js');
  const args = ['build', folder, '--out', snapshotFile, '--release-name', STARTER_RELEASE, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]);
}
