/** The commands about keys: those that show a clear key, what they show of others, and those that change them. */

import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { createApiKey, digestApiKey, isWellFormedApiKey } from '../../../src/keys/key/api-key.js';
import { createKeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { usageOf } from '../../keys/decision/key-store-scene.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { NOW, PLANS, runFailure, runJson, runText, SECRET } from './run-cli.js';

const PAST = '2024-02-01T00:00:00.000Z';
const OTHER_SECRET = 'another text of thirty-two characters';
const NEXT_DAY = '2024-03-01T00:00:00.000Z';
const LATER = '2027-01-01T00:00:00.000Z';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

let folder: string;
let env: Record<string, string>;
let envWithSecret: Record<string, string>;
beforeEach(() => {
  folder = folders.make();
  env = { KEYS_DIR: folder, PLANS };
  envWithSecret = { ...env, KEY_SECRET: SECRET };
});

/** Uses the store as the server does. */
async function inStore<T>(now: string, use: (store: KeyStore) => Promise<T>): Promise<T> {
  const findPlan = createPlanFinder(parsePlans(PLANS));
  const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => Date.parse(now), isChecked: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function statusOf(key: string, now = NOW): Promise<string | undefined> {
  return inStore(now, async (store) => (await store.decide([{ digest: digestApiKey(key), count: 1 }]))[0]?.status);
}

function clearKeyIn(text: string): string {
  const [key, ...others] = text.match(/pp_\w+/g) ?? [];
  expect(others).toEqual([]);
  return key ?? '';
}

/** Puts a key with these counts into the store; returns its id. */
async function putKey(months: Record<string, number>, plan = 'free', days = {}): Promise<string> {
  const record = createKeyRecord('used', new Date(PAST), { plan });
  const key = { digest: digestApiKey(createApiKey()), record, sealed: null, usage: usageOf(months, days) };
  await inStore(NOW, (store) => store.directory.create(key));
  return record.id;
}

/** What stands behind a field's name in the text of one key. */
function fieldIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name} +(.+)$`, 'm').exec(text)?.[1];
}

describe('create', () => {
  test('--json has the id, the key and the record, and the store knows the key by its digest alone', async () => {
    const { id, key, store, ...others } = await runJson(['create', '--name', 'Anna', '--plan', 'team'], { env });
    expect(store).toBe(folder);
    const none = { expires: null, replacedBy: null, graceUntil: null };
    expect(others).toEqual({ name: 'Anna', plan: 'team', created: NOW, state: 'active', ...none });
    expect(isWellFormedApiKey(key)).toBe(true);
    const digest = digestApiKey(key);
    const entry = { digest, record: { id, ...others }, sealed: null, usage: NO_USAGE };
    expect(await inStore(NOW, (store) => store.directory.find(id))).toEqual(entry);
    expect(await statusOf(key)).toBe('good');
  });

  test('tells people how to see the key again, or that it is shown only this once', async () => {
    const once = await runText(['create', '--name', 'Anna'], { env });
    expect(once).toContain(`(Anna) on the plan free, in the store ${folder}:`);
    expect(once).toContain('only this once');
    expect(await statusOf(clearKeyIn(once))).toBe('good');
    const out = await runText(['create', '--name', 'test'], { env: envWithSecret });
    expect(out).not.toContain('only this once');
    const [, id = ''] = /with: postal-places keys reveal (key_\w{12})$/m.exec(out) ?? [];
    expect(await runText(['reveal', id], { env: envWithSecret })).toBe(`${clearKeyIn(out)}\n`);
  });

  test('needs a name, and makes no store without one', async () => {
    const nowhere = join(folder, 'nowhere');
    const error = await runFailure(2, ['create'], { env: { ...env, KEYS_DIR: nowhere } });
    expect(error).toMatch(/^keys create needs --name .* create --help/);
    expect(existsSync(nowhere)).toBe(false);
  });

  test('names the whole path of a folder that is given from the working directory', async () => {
    const { store } = await runJson(['create', '--name', 'test'], { env: { KEYS_DIR: relative('.', folder) } });
    expect(store).toBe(folder);
  });

  test('--expires may be over, and people are told', async () => {
    const past = await runText(['create', '--name', 'test', '--expires', NOW], { env });
    expect(past).toContain(`, which expired at ${NOW}`);
    expect(await statusOf(clearKeyIn(past))).toBe('expired');
    expect(await runText(['create', '--name', 'test', '--expires', NEXT_DAY], { env })).toContain(
      `, good until ${NEXT_DAY}`,
    );
  });
});

describe('reveal', () => {
  test('shows the key that was made, also once it is revoked', async () => {
    const { id, key } = await runJson(['create', '--name', 'test'], { env: envWithSecret });
    expect(await runJson(['reveal', id], { env: envWithSecret })).toEqual({ id, key });
    await runText(['revoke', id], { env });
    expect(await runText(['reveal', id], { env: envWithSecret })).toBe(`${key}\n`);
  });

  test('can not without KEY_SECRET, or with another than it was made with, and says what to do', async () => {
    const [{ id }, sealed] = [
      await runJson(['create', '--name', 'test'], { env }),
      await runJson(['create', '--name', 'test'], { env: envWithSecret }),
    ];
    expect(await runFailure(1, ['reveal', sealed.id], { env })).toMatch(/KEY_SECRET is not set: set it/);
    const other = { env: { ...env, KEY_SECRET: OTHER_SECRET } };
    const error = await runFailure(1, ['reveal', sealed.id, '--json'], other);
    expect(error).toMatch(/does not open under this KEY_SECRET: .* keys replace key_/);
    for (const secret of [sealed.key, SECRET, OTHER_SECRET]) expect(error).not.toContain(secret);
    expect(await runFailure(1, ['reveal', id], other)).toMatch(new RegExp(`not set, .* keys replace ${id}$`));
    await runText(['revoke', id], { env });
    expect(await runFailure(1, ['reveal', id], other)).toMatch(/another key with keys create$/);
  });
});

describe('replace', () => {
  test('gives another key of the same name, plan and end, and refuses the old one at once', async () => {
    const made = await runJson(['create', '--name', 'Anna', '--plan', 'team', '--expires', '2027-01-01'], { env });
    const { id, key, store, ...others } = made;
    const { id: newId, key: newKey, replaced, ...newOthers } = await runJson(['replace', id], { env, now: NEXT_DAY });
    expect(newId).not.toBe(id);
    expect(newKey).not.toBe(key);
    expect(newOthers).toEqual({ ...others, created: NEXT_DAY });
    expect(replaced).toEqual({ id, ...others, state: 'replaced', replacedBy: newId });
    expect((await runJson(['list'], { env })).keys).toEqual([replaced, { id: newId, ...newOthers }]);
    expect([await statusOf(key, NEXT_DAY), await statusOf(newKey, NEXT_DAY)]).toEqual(['revoked', 'good']);
  });

  test('tells people which key is good how long', async () => {
    const { id } = await runJson(['create', '--name', 'Anna'], { env });
    const first = await runText(['replace', id, '--grace', '1h'], { env });
    expect(first).toContain(`Replaced ${id}, which stays good until 2024-02-29T13:34:56.789Z, by key_`);
    expect(first).toContain('only this once');
    const [, nextId = ''] = /, by (key_\w{12}) \(Anna\)/.exec(first) ?? [];
    const second = await runText(['replace', nextId], { env: envWithSecret });
    expect(second).toContain(`Replaced ${nextId}, which is refused from now on, by key_`);
    const [, lastId = ''] = /with: postal-places keys reveal (key_\w{12})$/m.exec(second) ?? [];
    expect(await runText(['reveal', lastId], { env: envWithSecret })).toBe(`${clearKeyIn(second)}\n`);
  });

  test('a key that has expired is not replaced, and no key is made', async () => {
    const { id } = await runJson(['create', '--name', 'test'], { env });
    await runText(['expire', id], { env });
    const { keys } = await runJson(['list'], { env });
    expect(await runFailure(1, ['replace', id], { env })).toMatch(/has expired: .*expire key_\w{12} --never/);
    expect((await runJson(['list'], { env })).keys).toEqual(keys);
  });
});

describe('list', () => {
  test('says where there are none, and where there is no store', async () => {
    expect(await runFailure(1, ['list'], { env })).toContain('no key store in');
    expect(readdirSync(folder)).toEqual([]);
    await runText(['import', '-'], { env, input: '{"format":"postal-places-keys","version":2,"keys":[]}' });
    expect(await runText(['list'], { env })).toBe(`No keys in ${folder}.\n`);
    expect(await runText(['list', '--json'], { env })).toBe('{"keys":[]}\n');
  });

  test('shows a table without clear keys', async () => {
    const { key } = await runJson(['create', '--name', 'Anna'], { env: envWithSecret });
    await runJson(['create', '--name', 'Bücherei Köln', '--plan', 'team'], { env });
    const out = await runText(['list'], { env });
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^ID +STATE +PLAN +CREATED +EXPIRES +USED +KIND +NAME$/);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatch(/^key_\w{12} {2}active +(?:free|team) +2024-02-29T12:34:56\.789Z +never +0 +secret +\S.*$/);
    }
    expect(out).toMatch(/ team .* Bücherei Köln$/m);
    expect(out).not.toContain(key);
    expect(out).not.toContain(digestApiKey(key));
  });

  test('shows the state that people mean and the use of this month; JSON has the records as they are', async () => {
    const used = await putKey({ '2024-01': 9, '2024-02': 1234 });
    const { id: expired } = await runJson(['create', '--name', 'test', '--expires', PAST], { env });
    const { id: revoked } = await runJson(['create', '--name', 'test', '--expires', PAST], { env });
    const { id: replaced } = await runJson(['create', '--name', 'test'], { env });
    await runText(['revoke', revoked], { env });
    const { id: active } = await runJson(['replace', replaced, '--grace', '1h'], { env });
    const out = await runText(['list'], { env });
    const states = Object.fromEntries(Array.from(out.matchAll(/^(key_\w+) +(\w+)/gm), ([, id, state]) => [id, state]));
    const ended = { [expired]: 'expired', [revoked]: 'revoked', [replaced]: 'replaced' };
    expect(states).toEqual({ [used]: 'active', [active]: 'active', ...ended });
    expect(out).toMatch(new RegExp(`^${used} .* never +1234 +secret +used$`, 'm'));
    const { keys } = await runJson(['list'], { env });
    expect(keys).toHaveLength(5);
    for (const record of keys)
      expect(await runJson(['show', record.id], { env })).toEqual({ ...record, revealable: false });
    expect(keys.find(({ id }: { id: string }) => id === expired)).toMatchObject({ state: 'active', expires: PAST });
  });
});

describe('show', () => {
  test('has the record and whether it can be revealed, but neither digest nor sealed key', async () => {
    const { key, store, ...record } = await runJson(['create', '--name', 'Anna'], { env: envWithSecret });
    expect(await runJson(['show', record.id], { env })).toEqual({ ...record, revealable: true });
    const out = await runText(['show', record.id], { env });
    const { id: ID } = record;
    const use = { Created: NOW, Expires: 'never', Used: '0 in 2024-02' };
    const fields = { ID, Name: 'Anna', State: 'active', Plan: 'free', ...use };
    for (const [name, value] of Object.entries(fields)) expect([name, fieldIn(out, name)]).toEqual([name, value]);
    expect(fieldIn(out, 'Revealable')).toMatch(/^yes/);
    expect(out).not.toMatch(/Replaced by|Grace until|pp_|v1\./);
    expect(out).not.toContain(digestApiKey(key));
  });

  test('says what replaced a key and until when both are good', async () => {
    const { id } = await runJson(['create', '--name', 'test'], { env });
    const { id: nextId } = await runJson(['replace', id, '--grace', '1h'], { env });
    const out = await runText(['show', id], { env });
    expect(fieldIn(out, 'State')).toBe('replaced');
    expect(fieldIn(out, 'Replaced by')).toBe(nextId);
    expect(fieldIn(out, 'Grace until')).toBe('2024-02-29T13:34:56.789Z');
    expect(fieldIn(out, 'Revealable')).toMatch(/^no/);
  });
});

describe('usage', () => {
  test('has this month, its limit and end, the months before and the days, newest first', async () => {
    const months = { '2023-09': 1, '2024-01': 30, '2024-02': 12, '2023-12': 200, '2024-03': 5 };
    const id = await putKey(months, 'team', { '2024-02-28': 4, '2024-02-29': 8 });
    expect(await runJson(['usage', id], { env })).toEqual({
      id,
      plan: 'team',
      month: '2024-02',
      used: 12,
      limit: 500,
      resetsAt: '2024-03-01T00:00:00.000Z',
      months: [
        { month: '2024-01', used: 30 },
        { month: '2023-12', used: 200 },
        { month: '2023-09', used: 1 },
      ],
      days: [
        { day: '2024-02-29', used: 8 },
        { day: '2024-02-28', used: 4 },
      ],
    });
    const out = await runText(['usage', id], { env });
    expect(out).toMatch(/Used in 2024-02: 12 of 500\. .* 2024-03-01T00:00:00\.000Z/);
    expect(out).toContain('MONTH    USED\n2024-01  30\n2023-12  200\n2023-09  1\n');
    expect(out).toContain('DAY         USED\n2024-02-29  8\n2024-02-28  4\n');
  });

  test('a key that was never used, on a plan without a limit, in December', async () => {
    const id = await putKey({}, 'unlimited');
    const now = '2024-12-31T23:59:59.999Z';
    const unused = { used: 0, limit: null, months: [], days: [] };
    const month = { month: '2024-12', resetsAt: '2025-01-01T00:00:00.000Z' };
    expect(await runJson(['usage', id], { env, now })).toEqual({ id, plan: 'unlimited', ...month, ...unused });
    const out = await runText(['usage', id], { env, now });
    expect(out).toContain('Used in 2024-12: 0, without a limit.');
    expect(out).not.toContain('MONTH');
  });

  test('a plan that PLANS lacks has the limit of the plan free', async () => {
    const id = await putKey({}, 'gone');
    expect(await runJson(['usage', id], { env })).toMatchObject({ plan: 'gone', limit: 10_000 });
    expect(await runText(['usage', id], { env })).toMatch(/gone, which PLANS lacks: .* plan free/);
  });
});

describe.each<[string, (id: string) => string[], object, RegExp]>([
  ['revoke', (id) => ['revoke', id], { state: 'revoked' }, /refused from now on, for good/],
  ['set-plan', (id) => ['set-plan', id, 'team'], { plan: 'team' }, /limits of the plan team/],
  ['expire', (id) => ['expire', id], { expires: NOW }, /refused from now on.* expire key_\w{12} --never/],
  ['expire --at', (id) => ['expire', id, '--at', '2027-01-01'], { expires: LATER }, /good until 2027-01-01T00:00/],
  ['expire --at the past', (id) => ['expire', id, '--at', '2024-02-01'], { expires: PAST }, /refused from now on/],
  ['expire --never', (id) => ['expire', id, '--never'], { expires: null }, /good for ever/],
])('%s', (_, command, change, advice) => {
  test('changes the record, keeps the change, and prints the new record and what it means', async () => {
    const create = ['create', '--name', 'test', '--expires', '2025-01-01'];
    const { key, store, ...record } = await runJson(create, { env });
    const changed = await runJson(command(record.id), { env });
    expect(changed).toEqual({ ...record, ...change });
    expect((await runJson(['list'], { env })).keys).toEqual([changed]);
    const { id } = await runJson(create, { env });
    const out = await runText(command(id), { env });
    const shown = await runText(['show', id], { env });
    for (const field of ['ID', 'State', 'Plan', 'Expires']) expect(fieldIn(out, field)).toBe(fieldIn(shown, field));
    expect(out).toMatch(advice);
  });
});
