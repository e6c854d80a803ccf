/** The commands that show what is known of keys, and those that change it. */

import { readdirSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import { createKeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/key/plan.js';
import { usageOf } from '../../keys/decision/key-store-scene.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { NOW, PLANS, runFailure, runJson, runText, SECRET } from './run-cli.js';

const PAST = '2024-02-01T00:00:00.000Z';
const LATER = '2027-01-01T00:00:00.000Z';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

let env: Record<string, string>;
beforeEach(() => {
  env = { KEYS_DIR: folders.make(), PLANS };
});

/** Puts a key with these counts into the store; returns its id. */
async function putKey(
  usage: Record<string, number>,
  plan = 'free',
  days: Record<string, number> = {},
): Promise<string> {
  const store = await openEmbeddedKeyStore({ folder: env.KEYS_DIR ?? '', findPlan: createPlanFinder(DEFAULT_PLANS) });
  const record = createKeyRecord('used', new Date(PAST), { plan });
  await store.directory.create({
    digest: digestApiKey(createApiKey()),
    record,
    sealed: null,
    usage: usageOf(usage, days),
  });
  await store.close();
  return record.id;
}

/** What stands behind a field's name in the text of one key. */
function fieldIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name} +(.+)$`, 'm').exec(text)?.[1];
}

describe('list', () => {
  test('says where there are none, and where there is no store', async () => {
    expect(await runFailure(1, ['list'], { env })).toContain('no key store in');
    expect(readdirSync(env.KEYS_DIR ?? '')).toEqual([]);
    await runText(['import', '-'], { env, input: '{"format":"postal-places-keys","version":2,"keys":[]}' });
    expect(await runText(['list'], { env })).toBe(`No keys in ${env.KEYS_DIR}.\n`);
    expect(await runText(['list', '--json'], { env })).toBe('{"keys":[]}\n');
  });

  test('shows a table without clear keys', async () => {
    const { key } = await runJson(['create', '--name', 'Anna'], { env: { ...env, KEY_SECRET: SECRET } });
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
    expect(states).toEqual({
      [used]: 'active',
      [expired]: 'expired',
      [revoked]: 'revoked',
      [replaced]: 'replaced',
      [active]: 'active',
    });
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
    const { key, store, ...record } = await runJson(['create', '--name', 'Anna'], {
      env: { ...env, KEY_SECRET: SECRET },
    });
    expect(await runJson(['show', record.id], { env })).toEqual({ ...record, revealable: true });
    const out = await runText(['show', record.id], { env });
    expect(
      Object.fromEntries(
        ['ID', 'Name', 'State', 'Plan', 'Created', 'Expires', 'Used'].map((n) => [n, fieldIn(out, n)]),
      ),
    ).toEqual({
      ID: record.id,
      Name: 'Anna',
      State: 'active',
      Plan: 'free',
      Created: NOW,
      Expires: 'never',
      Used: '0 in 2024-02',
    });
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
    expect(await runText(['usage', id], { env })).toBe(
      `${id} (used) is on the plan team.\n` +
        'Used in 2024-02: 12 of 500. The count starts again at 2024-03-01T00:00:00.000Z.\n\n' +
        'MONTH    USED\n2024-01  30\n2023-12  200\n2023-09  1\n\n' +
        'DAY         USED\n2024-02-29  8\n2024-02-28  4\n',
    );
  });

  test('a key that was never used, on a plan without a limit, in December', async () => {
    const id = await putKey({}, 'unlimited');
    const now = '2024-12-31T23:59:59.999Z';
    expect(await runJson(['usage', id], { env, now })).toEqual({
      id,
      plan: 'unlimited',
      month: '2024-12',
      used: 0,
      limit: null,
      resetsAt: '2025-01-01T00:00:00.000Z',
      months: [],
      days: [],
    });
    const out = await runText(['usage', id], { env, now });
    expect(out).toContain('Used in 2024-12: 0, without a limit.');
    expect(out).not.toContain('MONTH');
  });

  test('a plan that PLANS lacks has the limit of the plan free', async () => {
    const id = await putKey({}, 'gone');
    expect(await runJson(['usage', id], { env })).toMatchObject({ plan: 'gone', limit: 10_000 });
    expect(await runText(['usage', id], { env })).toContain(
      'the plan gone, which PLANS lacks: the limits of the plan free',
    );
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
  test('changes the record, keeps the change and prints the new record', async () => {
    const { key, store, ...record } = await runJson(['create', '--name', 'test', '--expires', '2025-01-01'], { env });
    const changed = await runJson(command(record.id), { env });
    expect(changed).toEqual({ ...record, ...change });
    expect((await runJson(['list'], { env })).keys).toEqual([changed]);
  });

  test('shows people the new record and what it means', async () => {
    const { id } = await runJson(['create', '--name', 'test', '--expires', '2025-01-01'], { env });
    const out = await runText(command(id), { env });
    const shown = await runText(['show', id], { env });
    for (const field of ['ID', 'State', 'Plan', 'Expires']) expect(fieldIn(out, field)).toBe(fieldIn(shown, field));
    expect(out).toMatch(advice);
  });
});

test('a key that has expired is good again once it is given more time', async () => {
  const { id } = await runJson(['create', '--name', 'test'], { env });
  await runText(['expire', id], { env });
  expect(fieldIn(await runText(['show', id], { env }), 'State')).toBe('expired');
  expect(fieldIn(await runText(['expire', id, '--never'], { env }), 'State')).toBe('active');
});

test('revoking is possible after everything and twice; nothing else is possible after it', async () => {
  const { id } = await runJson(['create', '--name', 'test'], { env });
  const { id: nextId } = await runJson(['replace', id, '--grace', '1d'], { env });
  expect(await runFailure(1, ['expire', id], { env })).toBe(`${id} was replaced by ${nextId}, for good`);
  expect(await runFailure(1, ['set-plan', id, 'team'], { env })).toBe(`${id} was replaced by ${nextId}, for good`);
  const revoked = await runJson(['revoke', id], { env });
  expect(revoked).toMatchObject({ state: 'revoked', replacedBy: nextId });
  expect(await runJson(['revoke', id], { env })).toEqual(revoked);
  expect(await runFailure(1, ['expire', id, '--never'], { env })).toBe(`${id} was revoked, for good`);
  expect(await runFailure(1, ['set-plan', id, 'team'], { env })).toBe(`${id} was revoked, for good`);
});
