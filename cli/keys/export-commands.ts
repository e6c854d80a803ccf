/**
 * The commands `export` and `import`, which copy keys from one store to another. An import never changes a key that the
 * store has, so it can be repeated, also after an interruption.
 */

import { InvalidValueError } from '../../src/base/errors.js';
import { isDayName, isMonthName } from '../../src/keys/key/calendar.js';
import type { KeyDirectory, KeyEntry } from '../../src/keys/key/key-directory.js';
import { KeyError } from '../../src/keys/key/key-error.js';
import { type KeyRecord, parseKeyRecord } from '../../src/keys/key/key-record.js';
import { isRequestCount, type UsageCounts } from '../../src/keys/key/usage-counts.js';
import { isKeyStoreDamage } from '../../src/keys/storage/key-store-error.js';
import type { KeysCommand } from './command-context.js';

/*
 * The export file of keys: one JSON object with all stored data of each key. It contains no clear key, only digests,
 * and sealed keys that open under the KEY_SECRET with which they were created. Reading is strict: one invalid field
 * refuses the whole file, with an InvalidValueError that names the field but does not repeat its value.
 *
 *     {"format": "postal-places-keys", "version": 2, "keys": [
 *       {"digest": "64 hexadecimal digits", "record": {"id": "key_…", …}, "sealed": null,
 *        "usage": {"months": {"2026-11": 12}, "days": {"2026-11-21": 5, "2026-11-22": 7}}}]}
 */

const FORMAT = 'postal-places-keys';
const VERSION = 2;
/** A sealed key has some hundred characters. */
const LONGEST_SEAL = 1_000;
/** Maximum count in an export: below 2^53, with room for further requests. */
const LARGEST_COUNT = 1e15;
const DIGEST_FORM = /^[0-9a-f]{64}$/;

/** The object to write, keys and counts in the order given. */
function formatExport(entries: readonly KeyEntry[]): object {
  const keys = entries.map(({ digest, record, sealed, usage }) => ({
    digest,
    record,
    sealed,
    usage: { months: Object.fromEntries(usage.months), days: Object.fromEntries(usage.days) },
  }));
  return { format: FORMAT, version: VERSION, keys };
}

/** Parses the bytes of a file and checks every field. */
function parseExport(bytes: Uint8Array): KeyEntry[] {
  const file = parseFields('the file', parseJson(bytes), ['format', 'version', 'keys']);
  if (file.format !== FORMAT) refuse('format', `must be "${FORMAT}"`);
  if (file.version !== VERSION) refuse('version', `must be ${VERSION}`);
  if (!Array.isArray(file.keys)) return refuse('keys', 'must be a list');
  const entries = file.keys.map((value, index) => parseEntry(`keys[${index}]`, value));
  refuseRepetition(entries, 'digest', ({ digest }) => digest);
  refuseRepetition(entries, 'record.id', ({ record }) => record.id);
  return entries;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // Not the parser's message: it quotes the file, which may be something else and contain secrets.
    const [at = ''] = /at position \d+/.exec((error as Error).message) ?? [];
    return refuse('the file', error instanceof SyntaxError ? `is not JSON ${at}`.trimEnd() : 'is not UTF-8');
  }
}

function parseEntry(where: string, value: unknown): KeyEntry {
  const { digest, record, sealed, usage } = parseFields(where, value, ['digest', 'record', 'sealed', 'usage']);
  if (typeof digest !== 'string' || !DIGEST_FORM.test(digest)) {
    return refuse(`${where}.digest`, 'must be 64 lower-case hexadecimal digits');
  }
  if (sealed !== null && (typeof sealed !== 'string' || sealed === '' || sealed.length > LONGEST_SEAL)) {
    return refuse(`${where}.sealed`, 'must be null or a text of at most 1,000 characters');
  }
  return {
    digest,
    record: parseRecord(`${where}.record`, record),
    sealed,
    usage: parseUsage(`${where}.usage`, usage),
  };
}

function parseRecord(where: string, value: unknown): KeyRecord {
  let record: KeyRecord;
  try {
    record = parseKeyRecord(value);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    return refuse(where, `is not valid: ${error.message}`);
  }
  parseFields(where, value, Object.keys(record));
  return record;
}

function parseUsage(where: string, value: unknown): UsageCounts {
  const { months, days } = parseFields(where, value, ['months', 'days']);
  return {
    months: parseCounts(`${where}.months`, months, isMonthName, 'months, such as 2024-02'),
    days: parseCounts(`${where}.days`, days, isDayName, 'days, such as 2024-02-29'),
  };
}

function parseCounts(
  where: string,
  value: unknown,
  isName: (text: string) => boolean,
  kind: string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of Object.entries(parseObject(where, value))) {
    if (!isName(name)) refuse(where, `must have the names of ${kind}`);
    if (!isRequestCount(count) || count > LARGEST_COUNT) {
      return refuse(`${where}["${name}"]`, 'must be a whole number from 0 to 10^15');
    }
    counts.set(name, count);
  }
  return counts;
}

/** The object, which must have exactly these fields. */
function parseFields(where: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  const object = parseObject(where, value);
  const missing = names.find((name) => !Object.hasOwn(object, name));
  if (missing !== undefined) refuse(where, `lacks the field ${missing}`);
  if (Object.keys(object).length > names.length) refuse(where, `must have no other fields than ${names.join(', ')}`);
  return object;
}

function parseObject(where: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return refuse(where, 'must be an object');
}

function refuseRepetition(entries: readonly KeyEntry[], field: string, read: (entry: KeyEntry) => string): void {
  const places = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const value = read(entry);
    const first = places.get(value);
    if (first !== undefined) refuse(`keys[${index}].${field}`, `is the same as that of keys[${first}]`);
    places.set(value, index);
  }
}

function refuse(where: string, why: string): never {
  throw new InvalidValueError(`this is no export to import: ${where} ${why}`);
}

export const exportCommands: readonly KeysCommand[] = [
  {
    usage: 'export',
    description: 'print all keys as one JSON object for import',
    examples: ['export > keys.json', 'export --store /srv/keys > keys.json'],
    async run({ useStore, leaveOut }) {
      const json = formatExport(await useStore(({ directory }) => directory.list(leaveOut)));
      // The text is JSON too, to be redirected to a file.
      return { json, text: `${JSON.stringify(json)}\n` };
    },
  },
  {
    usage: 'import <file>',
    description: 'take in the keys of an export that the store lacks',
    examples: ['import keys.json', 'import - --store /srv/keys < keys.json'],
    async run({ readBytes, makeStore, leaveOut }, _, path) {
      const entries = parseExport(await readBytes(path));
      const counts = { imported: 0, existing: 0, refused: 0 };
      await makeStore(async ({ directory }) => {
        for (const entry of entries) counts[await importKey(directory, entry, leaveOut)]++;
      });
      const { imported, existing } = counts;
      return {
        json: counts,
        text: `Imported ${countKeys(imported)}. Already there and left as they are: ${countKeys(existing)}.\n`,
      };
    },
  },
];

type Outcome = 'imported' | 'existing' | 'refused';

async function importKey(keys: KeyDirectory, entry: KeyEntry, leaveOut: (why: Error) => void): Promise<Outcome> {
  try {
    if (await createKey(keys, entry)) return 'imported';
    const { id } = entry.record;
    const found = await keys.find(id);
    if (found?.digest === entry.digest) return 'existing';
    leaveOut(new Error(`${id} is not imported: its id or its key belongs to another`));
  } catch (error) {
    if (!isKeyStoreDamage(error)) throw error;
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
