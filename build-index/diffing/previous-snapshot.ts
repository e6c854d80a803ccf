/**
 * The snapshot before the one that is being built. It is checked against its checksums and stays open and locked until
 * the build ends, so that neither `prune` nor another file at its path comes between.
 */

import { closeSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkSectionsCooperatively } from '../../src/core/snapshot/check-sections.js';
import type { CountryEntry, Manifest, Section } from '../../src/core/snapshot/manifest.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { openSnapshotFile, readPreviousSnapshotContents } from '../../src/core/snapshot/snapshot-file.js';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import { CURRENT } from '../../src/releases/folder/published-folder.js';

export interface PreviousSnapshot {
  readonly path: string;
  readonly manifest: Manifest;
  /** What a task needs to read the places of a country; null if the snapshot has no data for it. */
  countryOf(code: string): PreviousCountry | null;
  close(): void;
}

/** The descriptor is valid in every thread of the process. */
export interface PreviousCountry {
  readonly path: string;
  readonly fd: number;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
}

/**
 * `source` is a snapshot, or the folder that it was published to; null for a folder where nothing was in service yet.
 */
export async function openPrevious(source: string): Promise<PreviousSnapshot | null> {
  try {
    if (isUnused(source)) return null;
    return await openChecked(findSnapshot(source).path);
  } catch (error) {
    const { code, expected, found } =
      error instanceof SnapshotError
        ? error
        : { code: 'FILE_UNREADABLE' as const, expected: 'a snapshot', found: (error as Error).message };
    const remedy = 'name the snapshot in service, or build without --previous';
    throw new SnapshotError(code, `--previous ${source}: ${expected}`, found, remedy);
  }
}

function isUnused(source: string): boolean {
  if (!statSync(source).isDirectory()) return false;
  return lstatSync(join(source, CURRENT), { throwIfNoEntry: false }) === undefined;
}

async function openChecked(path: string): Promise<PreviousSnapshot> {
  const fd = openSnapshotFile(path);
  try {
    const { manifest } = await checkSectionsCooperatively(fd, readPreviousSnapshotContents);
    return {
      path,
      manifest,
      countryOf(code) {
        const entry = manifest.countries.find((country) => country.code === code);
        return entry === undefined || entry.slices.length === 0
          ? null
          : { path, fd, entry, sections: manifest.sections };
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
