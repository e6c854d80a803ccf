/**
 * The snapshot of a fresh checkout: the starter dataset, compiled by the builder as by hand, with `url` fields that
 * point to the site that is started with it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { slugOf } from '../src/format/slug.js';
import { packageRoot } from '../src/platform/package-root.js';
import { openSnapshot } from '../src/store/snapshot.js';

export const STARTER_RELEASE = 'starter';

/** The date of the newest zip in data/starter: a snapshot of another date holds another version's starter dataset. */
export const STARTER_DATE = '2026-03-30';

/**
 * The file that a start for this site serves: `snapshotFile`, or, where that has the starter dataset for another site
 * or of another date, a file beside it. Another start may be serving `snapshotFile`, and would follow what takes its
 * place. Throws SnapshotError.
 */
export function starterFileFor(snapshotFile: string, siteUrl: string): string {
  if (!existsSync(snapshotFile) || !isStarterDue(snapshotFile, siteUrl)) return snapshotFile;
  return join(dirname(snapshotFile), `${STARTER_RELEASE}-${slugOf(siteUrl)}.snapshot`);
}

/**
 * Whether there is none yet, or it has the starter dataset for another site or of another date. Throws SnapshotError.
 */
export function isStarterDue(snapshotFile: string, siteUrl: string): boolean {
  if (!existsSync(snapshotFile)) return true;
  const { release, manifest } = openSnapshot(snapshotFile);
  return release === STARTER_RELEASE && (manifest.siteUrl !== siteUrl || manifest.sourceDate !== STARTER_DATE);
}

/** Exit codes and signals with which the builder ends on SIGINT and SIGTERM: a code is 128 plus the signal's number. */
const SIGNAL_ENDS: ReadonlySet<unknown> = new Set(['SIGINT', 'SIGTERM', 130, 143]);

/**
 * Compiles data/starter, which is a release like any other. Costs some ten seconds. A signal that ends it ends this
 * process.
 */
export async function compileStarterSnapshot(snapshotFile: string, siteUrl: string): Promise<void> {
  await mkdir(dirname(snapshotFile), { recursive: true });
  // A process of its own: the server that this one becomes has no use for the builder's memory.
  const program = join(packageRoot(), 'dist/build-index/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', siteUrl];
  const args = ['build', join(packageRoot(), 'data/starter'), '--out', snapshotFile, ...names, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]).catch(
    (error: { readonly code?: unknown; readonly signal?: unknown }) => {
      // Ctrl-C reaches the compiler too, which removes what it has written and then ends with a code for the signal.
      if (SIGNAL_ENDS.has(error.code) || SIGNAL_ENDS.has(error.signal)) process.exit(1);
      throw error;
    },
  );
}
