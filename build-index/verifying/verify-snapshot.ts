/**
 * `verify`: every checksum, every byte of padding and every cross-reference of a snapshot file, on all cores. Memory is
 * bounded by the largest country and the name index of the world.
 */
import type { Manifest } from '../../src/format/manifest.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../reporting/progress.js';
import type { VerifyCountryTask } from './verify-country.js';
import type { VerifySectionsTask } from './verify-sections.js';
import type { VerifyWorldTask } from './verify-world.js';

/** Throws SnapshotError with the first thing that is off; returns the manifest of a file that is sound. */
export async function verifySnapshot(path: string, pool: Pool, progress: Progress): Promise<Manifest> {
  const { manifest } = withFile(path, readContents);
  // Damage is reported as damage before anybody wonders about contents, since results come in the order of the tasks.
  const tasks: (VerifySectionsTask | VerifyWorldTask | VerifyCountryTask)[] = [
    { kind: 'verify-sections', path },
    { kind: 'verify-world', path },
  ];
  for (const entry of manifest.countries) {
    if (entry.slices.length === 0) continue;
    const pageUrl = `${manifest.siteUrl}/${entry.slug}`;
    tasks.push({ kind: 'verify-country', path, entry, sections: manifest.sections, pageUrl });
  }
  progress.start('verifying', tasks.length);
  let done = 0;
  for await (const _ of pool.run(tasks)) {
    const task = tasks[done++];
    progress.step(task?.kind === 'verify-country' ? task.entry.code : '');
  }
  return manifest;
}
