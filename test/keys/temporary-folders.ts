/** Folders for one test, gone when `clear` is called after it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function createTemporaryFolders(): { make(): string; clear(): void } {
  const folders: string[] = [];
  return {
    make() {
      const folder = mkdtempSync(join(tmpdir(), 'postal-places-keys-'));
      folders.push(folder);
      return folder;
    },
    clear() {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}
