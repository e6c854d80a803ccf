/** `export` and `import`: all that is kept of the keys in one store arrives in another, and nothing wrong does. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import { digestApiKey } from '../../../src/keys/key/api-key.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/key/plan.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { run, runFailure, runJson, runText, SECRET } from './run-cli.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

/** The folder of a store with keys of every kind, which no test changes, and of one that is not there yet. */
let [one, other] = ['', ''];
const clearKeys: string[] = [];

beforeEach(() => {
  other = join(folders.make(), 'other');
});
beforeAll(async () => {
  one = folders.make();
  const env = { KEYS_DIR: one };
  const create = async (day: string, args: readonly string[], secret = {}) => {
    const { id, key } = await runJson(args, { env: { ...env, ...secret }, now: day });
    clearKeys.push(key);
    return id as string;
  };
  const sealed = await create('2024-01-01', ['create', '--name', '図書館 "one" \\'], { KEY_SECRET: SECRET });
  await create('2024-01-02', ['create', '--name', 'test', '--expires', '2027-01-01']);
  const revoked = await create('2024-01-03', ['create', '--name', 'test']);
  await runText(['revoke', revoked], { env });
  const use = (day: string, count: number) =>
    inStore(one, (store) => store.decide([{ digest: digestApiKey(clearKeys[0] ?? ''), count }]), day);
  await use('2024-01-31', 12);
  await use('2024-02-29', 3);
  await create('2024-02-29', ['replace', sealed, '--grace', '7d'], { KEY_SECRET: SECRET });
});

async function inStore<T>(
  folder: string,
  use: (store: Awaited<ReturnType<typeof openEmbeddedKeyStore>>) => Promise<T>,
  day = '2024-02-29',
): Promise<T> {
  const findPlan = createPlanFinder(DEFAULT_PLANS);
  const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => Date.parse(day), isChecked: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function entriesOf(folder: string): Promise<KeyEntry[]> {
  return inStore(folder, (store) => store.directory.list());
}

const exportText = () => runText(['export', '--store', one]);
const importText = (input: string | Uint8Array, args: readonly string[] = []) =>
  runJson(['import', '-', '--store', other, ...args], { input });

describe('export', () => {
  test('is one line of JSON with all that the store keeps, with and without --json', async () => {
    const text = await exportText();
    expect(text).toMatch(/^\{"format":"postal-places-keys","version":2,"keys":\[[^\n]+\]\}\n$/);
    expect(await runText(['export', '--json', '--store', one])).toBe(text);
    const entries = await entriesOf(one);
    expect(entries).toHaveLength(4);
    expect(JSON.parse(text).keys).toEqual(
      entries.map(({ usage: { months, days }, ...others }) => ({
        ...others,
        usage: { months: Object.fromEntries(months), days: Object.fromEntries(days) },
      })),
    );
    expect(entries.filter(({ sealed }) => sealed !== null)).toHaveLength(2);
    expect(text).not.toContain('pp_');
    expect(clearKeys.map(digestApiKey).every((digest) => text.includes(digest))).toBe(true);
  });

  test('of an empty store is what import takes for no keys', async () => {
    const empty = folders.make();
    await runText(['import', '-', '--store', empty], {
      input: '{"format":"postal-places-keys","version":2,"keys":[]}',
    });
    const text = await runText(['export', '--store', empty]);
    expect(text).toBe('{"format":"postal-places-keys","version":2,"keys":[]}\n');
    expect(await importText(text)).toEqual({ imported: 0, existing: 0, refused: 0 });
  });
});

describe('import', () => {
  test('brings every key with all that is kept of it, and a second one changes nothing', async () => {
    const text = await exportText();
    expect(await importText(text)).toEqual({ imported: 4, existing: 0, refused: 0 });
    expect(await entriesOf(other)).toEqual(await entriesOf(one));
    expect(await importText(text)).toEqual({ imported: 0, existing: 4, refused: 0 });
    expect(await entriesOf(other)).toEqual(await entriesOf(one));
    const [first] = JSON.parse(text).keys;
    const revealed = await runText(['reveal', first.record.id, '--store', other], { env: { KEY_SECRET: SECRET } });
    expect(revealed).toBe(`${clearKeys[0]}\n`);
  });

  test('reads a file, and tells people how many there were of each', async () => {
    const file = join(folders.make(), 'export.json');
    writeFileSync(file, `\ufeff${await exportText()}`);
    const importFile = () => runText(['import', file, '--store', other]);
    expect(await importFile()).toMatch(/^Imported 4 keys\. .*: 0 keys\.\n$/);
    const parsed = JSON.parse(await exportText());
    parsed.keys.length = 1;
    writeFileSync(file, JSON.stringify(parsed));
    expect(await importFile()).toMatch(/^Imported 0 keys\. .*: 1 key\.\n$/);
  });

  test('leaves a key that is there as it is, and brings the others', async () => {
    const parsed = JSON.parse(await exportText());
    const [first] = parsed.keys;
    await importText(JSON.stringify({ ...parsed, keys: [first] }));
    const revoked = await runJson(['revoke', first.record.id, '--store', other]);
    expect(revoked).not.toEqual(first.record);
    // A plan that PLANS lacks may be there later.
    parsed.keys[1].record.plan = 'gone';
    expect(await importText(JSON.stringify(parsed))).toEqual({ imported: 3, existing: 1, refused: 0 });
    const entries = await entriesOf(other);
    expect(entries).toHaveLength(4);
    const kept = entries.find(({ record }) => record.id === first.record.id);
    expect(kept?.record).toEqual(revoked);
    expect(Object.fromEntries(kept?.usage.days ?? [])).toEqual(first.usage.days);
  });

  test('names a key whose id or digest belongs to another, brings the rest, and ends with 1', async () => {
    const parsed = JSON.parse(await exportText());
    const [first, second] = parsed.keys;
    await importText(JSON.stringify({ ...parsed, keys: [{ ...first, record: second.record }] }));
    const { status, out, error } = await run(['import', '-', '--json', '--store', other], {
      input: JSON.stringify(parsed),
    });
    expect({ status, json: JSON.parse(out) }).toEqual({ status: 1, json: { imported: 2, existing: 0, refused: 2 } });
    for (const { record } of [first, second])
      expect(error).toMatch(new RegExp(`^postal-places: ${record.id} .*\n`, 'm'));
    expect(await entriesOf(other)).toHaveLength(3);
  });
});

describe('a wrong file is refused as a whole, with where and what', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what is made of it is wrong on purpose.
  type Spoil = (file: any) => unknown;
  const PP = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';

  test.each<[string, Spoil, string]>([
    ['a list', () => [], 'the file must be an object'],
    ['another format', (file) => ({ ...file, format: 'keys' }), 'format must be "postal-places-keys"'],
    ['another version', (file) => ({ ...file, version: 1 }), 'version must be 2'],
    ['no keys', ({ keys, ...file }) => file, 'the file lacks the field keys'],
    ['keys that are no list', (file) => ({ ...file, keys: {} }), 'keys must be a list'],
    ['a field too many', (file) => ({ ...file, [PP]: 1 }), 'the file must have no other fields than'],
  ])('%s', async (_, spoil, message) => {
    await refuse(JSON.stringify(spoil(JSON.parse(await exportText()))), message);
  });

  const RECORD = 'keys[2].record';
  test.each<[string, Spoil, string]>([
    ['an entry that is no object', () => PP, 'keys[2] must be an object'],
    ['a clear key', (key) => ({ ...key, key: PP }), 'keys[2] must have no other'],
    ['no digest', ({ digest, ...key }) => key, 'keys[2] lacks the field digest'],
    ['an upper-case digest', (key) => ({ ...key, digest: key.digest.toUpperCase() }), 'keys[2].digest must be 64'],
    ['a digest that is a clear key', (key) => ({ ...key, digest: PP }), 'keys[2].digest must be 64'],
    ['an empty seal', (key) => ({ ...key, sealed: '' }), 'keys[2].sealed must be null or a text'],
    ['a wrong name', record({ name: '' }), `${RECORD} is not valid: a key name must not be empty`],
    ['a field too many in a record', record({ revealable: true }), `${RECORD} must have no other`],
    ['usage that is null', (key) => ({ ...key, usage: null }), 'keys[2].usage must be an object'],
    ['month 13', usage('2024-13', 1), 'keys[2].usage.months must have the names of months'],
    ['30 February', usage('2024-02', 1, '2024-02-30'), 'keys[2].usage.days must have the names of days'],
    ['usage without days', (key) => ({ ...key, usage: { months: {} } }), 'keys[2].usage lacks the field days'],
    ['a negative count', usage('2024-02', -1), 'keys[2].usage.months["2024-02"] must be a whole number from 0'],
    ['a count in words', usage('2024-02', '12'), 'keys[2].usage.months["2024-02"] must be a whole number from 0'],
  ])('%s', async (_, spoil, message) => {
    const file = JSON.parse(await exportText());
    file.keys[2] = spoil(file.keys[2]);
    await refuse(JSON.stringify(file), message);
  });

  test('the same key twice', async () => {
    const file = JSON.parse(await exportText());
    const [first, second, third] = file.keys;
    const sameDigest = { ...file, keys: [first, second, { ...third, digest: first.digest }] };
    await refuse(JSON.stringify(sameDigest), 'keys[2].digest is the same as that of keys[0]');
    const sameId = { ...file, keys: [first, second, { ...third, record: second.record }] };
    await refuse(JSON.stringify(sameId), 'keys[2].record.id is the same as that of keys[1]');
  });

  test('no JSON: the parser quotes what it met, the program does not', async () => {
    await refuse(PP, 'the file is not JSON');
    await refuse('', 'the file is not JSON');
    await refuse((await exportText()).slice(0, -3), 'the file is not JSON at position');
  });

  test('no UTF-8', async () => {
    await refuse(Buffer.from([0xff, 0xfe, 0x7b, 0x00]), 'the file is not UTF-8');
  });

  async function refuse(input: string | Uint8Array, message: string): Promise<void> {
    const error = await runFailure(2, ['import', '-', '--store', other], { input });
    expect(error.startsWith(`this is no export to import: ${message}`) || error).toBe(true);
    expect(error).not.toContain('pp_');
    expect(existsSync(other)).toBe(false);
  }

  function record(fields: object): Spoil {
    return (key) => ({ ...key, record: { ...key.record, ...fields } });
  }

  function usage(month: string, count: unknown, day = '2024-01-31'): Spoil {
    return (key) => ({ ...key, usage: { months: { '2024-01': 1, [month]: count }, days: { [day]: 1 } } });
  }
});
