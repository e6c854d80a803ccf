/**
 * Lists what a release changes against one that the folder has in parts: it puts the snapshot of that release together
 * again, in a partial file for the time of the comparison.
 */
import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { changesPath, RELEASES } from '../../src/channels/channel-paths.js';
import { fetchParts } from '../../src/channels/fetch-parts.js';
import { createFolderSource } from '../../src/channels/folder-source.js';
import { sha256OfFile } from '../../src/channels/part-bytes.js';
import { type ReleaseChanges, type ReleaseFile, snapshotName } from '../../src/channels/release-file.js';
import { cutPart } from '../../src/channels/snapshot-parts.js';
import { createPartial } from '../../src/publishing/partial-file.js';
import { writeChanges } from '../diffing/write-changes.js';
import type { Progress } from '../reporting/progress.js';
import type { PartsWriter } from './parts-writer.js';

/** The list of what the snapshot at `source`, of release `name`, changes against `before`, in files of the folder. */
export async function writeChangesSince(
  before: ReleaseFile,
  source: string,
  name: string,
  folder: string,
  writer: PartsWriter,
  progress: Progress,
): Promise<ReleaseChanges> {
  const path = join(folder, changesPath(name));
  const snapshot = createPartial(join(folder, RELEASES, snapshotName(before.name)));
  try {
    progress.start('assembling', 1);
    ftruncateSync(snapshot.fd, before.bytes);
    await fetchParts(createFolderSource(folder), snapshot.fd, before.parts, () => {});
    progress.step(before.name);
    await writeChanges(snapshot.path, source, path, progress);
  } finally {
    snapshot.discard();
  }
  const fd = openSync(path, 'r');
  try {
    const { size: bytes } = fstatSync(fd);
    const planned = cutPart({ name: 'changes', ranges: [{ offset: 0, length: bytes }] });
    const parts = await writer.writeAll(fd, planned, progress);
    return { since: before.name, sha256: await sha256OfFile(fd), bytes, parts };
  } finally {
    closeSync(fd);
  }
}
