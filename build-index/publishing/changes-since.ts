/** Lists what a release changes against one that the folder has in parts. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { changesPath } from '../../src/channels/channel-paths.js';
import { sha256OfFile } from '../../src/channels/part-bytes.js';
import type { ReleaseChanges } from '../../src/channels/release-file.js';
import { cutPart } from '../../src/channels/snapshot-parts.js';
import { writeChanges } from '../diffing/write-changes.js';
import type { Progress } from '../reporting/progress.js';
import type { PartsWriter } from './parts-writer.js';

/**
 * The list of what the snapshot at `source`, of release `name`, changes against that at `before`, of release `since`, in
 * files of the folder.
 */
export async function writeChangesSince(
  { since, before }: { readonly since: string; readonly before: string },
  source: string,
  name: string,
  folder: string,
  writer: PartsWriter,
  progress: Progress,
): Promise<ReleaseChanges> {
  const path = join(folder, changesPath(name));
  await writeChanges(before, source, path, progress);
  const fd = openSync(path, 'r');
  try {
    const { size: bytes } = fstatSync(fd);
    const planned = cutPart({ name: 'changes', ranges: [{ offset: 0, length: bytes }] });
    const parts = await writer.writeAll(fd, planned, progress);
    return { since, sha256: await sha256OfFile(fd), bytes, parts };
  } finally {
    closeSync(fd);
  }
}
