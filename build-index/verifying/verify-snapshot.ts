/**
 * `verify`: every checksum, every byte of padding and every cross-reference of a snapshot file, on all cores. Memory is
 * bounded by the largest country and the name index of the world.
 */
import { closeSync } from 'node:fs';
import type { Manifest } from '../../src/format/manifest.js';
import { openShared } from '../../src/store/open-file.js';
import { readContents } from '../../src/store/snapshot-reading.js';
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import type { VerifyCountryTask } from './verify-country.js';
import type { VerifySectionsTask } from './verify-sections.js';
import type { VerifyWorldTask } from './verify-world.js';

interface VerifiedSnapshot {
  readonly manifest: Manifest;
  /** See Snapshot. */
  readonly id: string;
}

/** Throws SnapshotError with the first fault. The file stays locked (shared), so that `prune` leaves it alone. */
export async function verifySnapshot(path: string, pool: Pool, progress: Progress): Promise<VerifiedSnapshot> {
  const fd = openShared(path);
  try {
    const { manifest, id } = readContents(fd);
    await verifyContents(path, manifest, pool, progress);
    return { manifest, id };
  } finally {
    closeSync(fd);
  }
}

async function verifyContents(path: string, manifest: Manifest, pool: Pool, progress: Progress): Promise<void> {
  // Results come in the order of the tasks: a damaged section is reported as damage, before contents that don't fit.
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
}
