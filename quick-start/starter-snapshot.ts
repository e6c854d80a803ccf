/**
 * The snapshot of a fresh checkout: the starter dataset, compiled by the builder as by hand, with `url` fields that point to
 * the site that is started with it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeStarterRelease } from '../build-index/starter.js';
import { slugOf } from '../src/format/slug.js';
import { packageRoot } from '../src/package-root.js';
import { openSnapshot } from '../src/store/snapshot.js';

export const STARTER_RELEASE = 'starter';

/**
 * The file that a start for this site serves: `snapshotFile`, or, where that has the starter dataset for another site, a
 * file beside it. Another start may be serving `snapshotFile`, and would follow what takes its place. Throws SnapshotError.
 */
export function starterFileFor(snapshotFile: string, siteUrl: string): string {
  if (!existsSync(snapshotFile) || !isStarterDue(snapshotFile, siteUrl)) return snapshotFile;
  return join(dirname(snapshotFile), `${STARTER_RELEASE}-${slugOf(siteUrl)}.snapshot`);
}

/** Whether there is none yet, or it is of the starter dataset and points to another site. Throws SnapshotError. */
export function isStarterDue(snapshotFile: string, siteUrl: string): boolean {
  if (!existsSync(snapshotFile)) return true;
  const { release, manifest } = openSnapshot(snapshotFile);
  return release === STARTER_RELEASE && manifest.siteUrl !== siteUrl;
}

/** Writes the release into the folder `starter` beside the snapshot file, and compiles it. Costs some seconds. */
export async function compileStarterSnapshot(snapshotFile: string, siteUrl: string): Promise<void> {
  const folder = join(dirname(snapshotFile), 'starter');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeStarterRelease(folder);
  // A process of its own: the server that this one becomes has no use for the builder's memory.
  const program = join(packageRoot(), 'dist/build-index/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', siteUrl];
  const args = ['build', folder, '--out', snapshotFile, ...names, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]);
}
