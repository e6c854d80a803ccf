/**
 * The commands `export` and `import`, which copy keys from one store to another. An import never changes a key that the
 * store has, so it can be repeated, also after an interruption.
 */

import type { KeyDirectory, KeyEntry } from '../../src/keys/key-directory.js';
import { KeyError } from '../../src/keys/key-error.js';
import { isDamage } from '../../src/storage/key-store-error.js';
import type { CommandContext, CommandOutput } from './command-context.js';
import { formatExport, parseExport } from './export-file.js';

/** The text is JSON too, to be redirected to a file. */
export async function exportKeys({ useStore, leaveOut }: CommandContext): Promise<CommandOutput> {
  const json = formatExport(await useStore(({ directory }) => directory.list(leaveOut)));
  return { json, text: `${JSON.stringify(json)}\n` };
}

export async function importKeys(
  { readBytes, makeStore, leaveOut }: CommandContext,
  path: string,
): Promise<CommandOutput> {
  const entries = parseExport(await readBytes(path));
  const counts = { imported: 0, existing: 0, refused: 0 };
  await makeStore(async ({ directory }) => {
    for (const entry of entries) {
      counts[await importKey(directory, entry, leaveOut)]++;
    }
  });
  const { imported, existing } = counts;
  return {
    json: counts,
    text: `Imported ${countKeys(imported)}. Already there and left as they are: ${countKeys(existing)}.\n`,
  };
}

type Outcome = 'imported' | 'existing' | 'refused';

async function importKey(keys: KeyDirectory, entry: KeyEntry, leaveOut: (why: Error) => void): Promise<Outcome> {
  try {
    if (await createKey(keys, entry)) return 'imported';
    const { id } = entry.record;
    const found = await keys.find(id);
    if (found?.digest === entry.digest) return 'existing';
    leaveOut(new Error(`${id} is not imported: its id or its key belongs to another`));
  } catch (error) {
    if (!isDamage(error)) throw error;
    leaveOut(error);
  }
  return 'refused';
}

/** Whether the key was created: false where the store has a key with its id or its digest. */
async function createKey(keys: KeyDirectory, entry: KeyEntry): Promise<boolean> {
  try {
    await keys.create(entry);
    return true;
  } catch (error) {
    if (error instanceof KeyError && error.code === 'KEY_EXISTS') return false;
    throw error;
  }
}

function countKeys(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
