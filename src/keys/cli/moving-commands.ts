/**
 * The commands that carry keys from one store to another: `export` and `import`. An import never changes a key that the
 * store has, so that a second one does no harm, and one that was interrupted goes on where it ended.
 */

import { KeyStoreError } from '../key-store.js';
import type { Answer, CommandContext } from './command-context.js';
import { formatExport, parseExport } from './export-file.js';

/** One line of JSON for people too: it is made to be kept in a file. */
export async function exportKeys({ useStore }: CommandContext): Promise<Answer> {
  const json = formatExport(await useStore((store) => store.list()));
  return { json, text: `${JSON.stringify(json)}\n` };
}

export async function importKeys({ readBytes, makeStore }: CommandContext, path: string): Promise<Answer> {
  const entries = parseExport(await readBytes(path));
  let existing = 0;
  await makeStore(async (store) => {
    for (const entry of entries) {
      try {
        await store.create(entry);
      } catch (error) {
        if (!(error instanceof KeyStoreError && error.code === 'KEY_EXISTS')) throw error;
        existing++;
      }
    }
  });
  const imported = entries.length - existing;
  return {
    json: { imported, existing },
    text: `Imported ${countKeys(imported)}. Already there and left as they are: ${countKeys(existing)}.\n`,
  };
}

function countKeys(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
