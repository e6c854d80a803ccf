/** `create`, `reveal` and `replace`: the commands that show a clear key, and what the store keeps of it. */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { digestApiKey, isWellFormedApiKey } from '../../../src/keys/key/api-key.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { NOW, PLANS, runFailure, runJson, runText, SECRET } from './run-cli.js';

const OTHER_SECRET = 'another text of thirty-two characters';
const LATER = '2024-03-01T00:00:00.000Z';

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
  const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => Date.parse(now) });
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

describe('create', () => {
  test('--json has the id, the key and the record, and the store knows the key by its digest alone', async () => {
    const { id, key, store, ...others } = await runJson(['create', '--name', 'Anna'], { env });
    expect(store).toBe(folder);
    expect(others).toEqual({
      name: 'Anna',
      plan: 'free',
      created: NOW,
      expires: null,
      state: 'active',
      replacedBy: null,
      graceUntil: null,
    });
    expect(isWellFormedApiKey(key)).toBe(true);
    const digest = digestApiKey(key);
    const entry = { digest, record: { id, ...others }, sealed: null, usage: NO_USAGE };
    expect(await inStore(NOW, (store) => store.directory.find(id))).toEqual(entry);
    expect(await statusOf(key)).toBe('good');
  });

  test('tells people that the key is shown only this once', async () => {
    const out = await runText(['create', '--name', 'Anna'], { env });
    expect(out).toContain(`(Anna) on the plan free, in the store ${folder}:`);
    expect(out).toContain('only this once');
    expect(out.match(/key_[0-9a-z]{12}/g)).toHaveLength(1);
    expect(await statusOf(/^ {2}(pp_\w+)$/m.exec(out)?.[1] ?? '')).toBe('good');
  });

  test('with KEY_SECRET tells them how to see it again', async () => {
    const out = await runText(['create', '--name', 'test'], { env: envWithSecret });
    expect(out).not.toContain('only this once');
    const [, id = ''] = /with: postal-places keys reveal (key_\w{12})$/m.exec(out) ?? [];
    expect(await runText(['reveal', id], { env: envWithSecret })).toBe(`${clearKeyIn(out)}\n`);
  });

  test('needs a name, and makes no store without one', async () => {
    const nowhere = join(folder, 'nowhere');
    const error = await runFailure(2, ['create'], { env: { ...env, KEYS_DIR: nowhere } });
    expect(error).toBe(
      'keys create needs --name <name>: whom or what the key is for; postal-places keys create --help shows the arguments and options',
    );
    expect(existsSync(nowhere)).toBe(false);
  });

  test('names the whole path of a folder that is given from the working directory', async () => {
    const { store } = await runJson(['create', '--name', 'test'], { env: { KEYS_DIR: relative('.', folder) } });
    expect(store).toBe(folder);
  });

  test('the plan is free, or may be any of PLANS', async () => {
    expect(await runJson(['create', '--name', 'test'], { env })).toMatchObject({ plan: 'free' });
    expect(await runJson(['create', '--name', 'test', '--plan', 'team'], { env })).toMatchObject({ plan: 'team' });
    expect(await runFailure(2, ['create', '--name', 'test', '--plan', 'team'], { env: { KEYS_DIR: folder } })).toMatch(
      /has free$/,
    );
  });

  test.each([
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-01T09:30Z', '2027-01-01T09:30:00.000Z'],
    ['2027-01-01T09:30:15Z', '2027-01-01T09:30:15.000Z'],
    ['2027-01-01T09:30:15.5Z', '2027-01-01T09:30:15.500Z'],
    ['2027-01-01T09:30:15.123456789Z', '2027-01-01T09:30:15.123Z'],
    ['2027-01-01T00:30:00+01:00', '2026-12-31T23:30:00.000Z'],
    ['2027-02-28T23:30:00-05:45', '2027-03-01T05:15:00.000Z'],
    ['2027-01-01T00:30+0100', '2026-12-31T23:30:00.000Z'],
    ['2027-01-01T00:30+01', '2026-12-31T23:30:00.000Z'],
  ])('--expires %s is the instant %s', async (time, expires) => {
    expect(await runJson(['create', '--name', 'test', '--expires', time], { env })).toMatchObject({ expires });
  });

  test('--expires may be over, and people are told', async () => {
    const past = await runText(['create', '--name', 'test', '--expires', NOW], { env });
    expect(past).toContain(`, which expired at ${NOW}`);
    expect(await statusOf(clearKeyIn(past))).toBe('expired');
    expect(await runText(['create', '--name', 'test', '--expires', LATER], { env })).toContain(`, good until ${LATER}`);
  });
});

describe('reveal', () => {
  test('shows the key that was made, also once it is revoked', async () => {
    const { id, key } = await runJson(['create', '--name', 'test'], { env: envWithSecret });
    expect(await runJson(['reveal', id], { env: envWithSecret })).toEqual({ id, key });
    await runText(['revoke', id], { env });
    expect(await runText(['reveal', id], { env: envWithSecret })).toBe(`${key}\n`);
  });

  test('can not without KEY_SECRET, and says what to set', async () => {
    const { id } = await runJson(['create', '--name', 'test'], { env: envWithSecret });
    expect(await runFailure(1, ['reveal', id], { env })).toBe(
      `${id} can't be shown while KEY_SECRET is not set: set it to what it was when the key was made`,
    );
  });

  test('can not with another KEY_SECRET', async () => {
    const { id, key } = await runJson(['create', '--name', 'test'], { env: envWithSecret });
    const error = await runFailure(1, ['reveal', id, '--json'], { env: { ...env, KEY_SECRET: OTHER_SECRET } });
    expect(error).toMatch(
      /does not open under this KEY_SECRET: .* or make another in its place with keys replace key_/,
    );
    for (const secret of [key, SECRET, OTHER_SECRET]) expect(error).not.toContain(secret);
  });

  test('can not where the key was made without one, and says what to do about it', async () => {
    const { id } = await runJson(['create', '--name', 'test'], { env });
    const error = await runFailure(1, ['reveal', id], { env: envWithSecret });
    expect(error).toMatch(/made while KEY_SECRET was not set/);
    expect(error).toMatch(new RegExp(`keys replace ${id}$`));
    await runText(['revoke', id], { env });
    expect(await runFailure(1, ['reveal', id], { env: envWithSecret })).toMatch(/make another key with keys create$/);
  });
});

describe('replace', () => {
  test('gives another key of the same name, plan and end, and refuses the old one at once', async () => {
    const made = await runJson(['create', '--name', 'Anna', '--plan', 'team', '--expires', '2027-01-01'], { env });
    const { id, key, store, ...others } = made;
    const { id: newId, key: newKey, replaced, ...newOthers } = await runJson(['replace', id], { env, now: LATER });
    expect(newId).not.toBe(id);
    expect(newKey).not.toBe(key);
    expect(newOthers).toEqual({ ...others, created: LATER });
    expect(replaced).toEqual({ id, ...others, state: 'replaced', replacedBy: newId });
    expect((await runJson(['list'], { env })).keys).toEqual([replaced, { id: newId, ...newOthers }]);
    expect([await statusOf(key, LATER), await statusOf(newKey, LATER)]).toEqual(['revoked', 'good']);
  });

  test('the new key goes on with the counts of the old one', async () => {
    const { id, key } = await runJson(['create', '--name', 'test'], { env });
    await inStore(NOW, (store) => store.decide([{ digest: digestApiKey(key), count: 7 }]));
    const { id: newId } = await runJson(['replace', id], { env });
    expect(await runJson(['usage', newId], { env })).toMatchObject({ used: 7 });
  });

  test.each([
    ['90s', '2024-02-29T12:36:26.789Z'],
    ['15m', '2024-02-29T12:49:56.789Z'],
    ['24h', '2024-03-01T12:34:56.789Z'],
    ['366d', '2025-03-01T12:34:56.789Z'],
  ])('--grace %s leaves the old key good until %s', async (grace, graceUntil) => {
    const { id, key } = await runJson(['create', '--name', 'test'], { env });
    const { replaced } = await runJson(['replace', id, '--grace', grace], { env });
    expect(replaced).toMatchObject({ state: 'replaced', graceUntil });
    const before = new Date(Date.parse(graceUntil) - 1).toISOString();
    expect([await statusOf(key, before), await statusOf(key, graceUntil)]).toEqual(['good', 'revoked']);
  });

  test('--grace 0s is none', async () => {
    const { id } = await runJson(['create', '--name', 'test'], { env });
    expect((await runJson(['replace', id, '--grace', '0s'], { env })).replaced.graceUntil).toBeNull();
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

  test.each<[string, (id: string) => string[], RegExp]>([
    ['a revoked key', (id) => ['revoke', id], /was revoked, for good$/],
    ['a replaced key', (id) => ['replace', id], /was replaced by key_\w{12}, for good$/],
    ['an expired key', (id) => ['expire', id], /has expired: .*expire key_\w{12} --never/],
  ])('%s can not be replaced, and no key is made', async (_, change, message) => {
    const { id } = await runJson(['create', '--name', 'test'], { env });
    await runText(change(id), { env });
    const { keys } = await runJson(['list'], { env });
    expect(await runFailure(1, ['replace', id], { env })).toMatch(message);
    expect((await runJson(['list'], { env })).keys).toEqual(keys);
  });
});
