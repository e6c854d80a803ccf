import { closeSync } from 'node:fs';
import { openShared } from '../store/open-file.js';
import { checkSectionsCooperatively } from '../store/section-checksums.js';
import type { CheckedSnapshot } from './check-file.js';

/** As checkSnapshotFile, in this process: for one that does nothing else meanwhile. Throws SnapshotError. */
export async function checkSnapshotHere(path: string): Promise<CheckedSnapshot> {
  const fd = openShared(path);
  try {
    const { manifest, id } = await checkSectionsCooperatively(fd);
    return { release: manifest.release, id };
  } finally {
    closeSync(fd);
  }
}
