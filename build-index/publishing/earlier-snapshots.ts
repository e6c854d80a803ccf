/** Snapshots of releases that a folder has in parts, put together again in partial files for as long as they are compared. */
import { ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASES } from '../../src/channels/channel-paths.js';
import { fetchParts } from '../../src/channels/fetch-parts.js';
import { createFolderSource } from '../../src/channels/folder-source.js';
import { type ReleaseFile, snapshotName } from '../../src/channels/release-file.js';
import { createPartial, type PartialFile } from '../../src/publishing/partial-file.js';
import type { Progress } from '../reporting/progress.js';

export class EarlierSnapshots {
  readonly #byName = new Map<string, PartialFile>();

  constructor(
    private readonly folder: string,
    private readonly progress: Progress,
  ) {}

  /** The snapshot of a release. Throws ChannelError, or what node:fs throws. */
  async assemble({ name, bytes, parts }: ReleaseFile): Promise<PartialFile> {
    const there = this.#byName.get(name);
    if (there !== undefined) return there;
    const snapshot = createPartial(join(this.folder, RELEASES, snapshotName(name)));
    try {
      this.progress.start('assembling', 1);
      ftruncateSync(snapshot.fd, bytes);
      await fetchParts(createFolderSource(this.folder), snapshot.fd, parts, () => {});
      this.progress.step(name);
    } catch (error) {
      snapshot.discard();
      throw error;
    }
    this.#byName.set(name, snapshot);
    return snapshot;
  }

  /** Removes the files. */
  discard(): void {
    for (const snapshot of this.#byName.values()) snapshot.discard();
  }
}
