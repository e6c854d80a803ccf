/** Keys for web pages on the dashboard: made, shown, changed, refused with what was typed, and counted by their kind. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { digestApiKey } from '../../src/keys/key/api-key.js';
import { SCRIPT, useAccountScene, type Visitor } from './account-scene.js';

const FIELDS = { name: 'shop', origins: 'https://shop.example\nhttp://localhost:8080', visitorRate: '60/m' };
const CHOSEN = { ...FIELDS, operations: ['autocomplete', 'checkPostcode'] as unknown as string };

const scene = useAccountScene();
let ada: Visitor;
beforeEach(async () => {
  ada = scene.account.browser();
  await ada.signIn('ada@example.org');
});

/** The record of the account's publishable key. */
async function recordOf() {
  const entries = await scene.account.store.directory.list();
  return entries.find(({ record }) => record.restrictions !== undefined)?.record;
}

test('a key for web pages is made beside the secret key, shown once, and told by mail', async () => {
  expect((await ada.get('/account')).text).toContain('Create a key for web pages');
  const made = await ada.post('/account/keys/publishable', CHOSEN);
  expect(made.status).toBe(200);
  const [key = ''] = /pp_pub_[0-9a-z]{39}/.exec(made.text) ?? [];
  const record = await recordOf();
  expect(record).toMatchObject({
    name: 'shop',
    restrictions: {
      origins: ['https://shop.example', 'http://localhost:8080'],
      operations: ['autocomplete', 'checkPostcode'],
      visitorRate: { requests: 60, seconds: 60 },
    },
  });
  const caller = { origin: 'https://shop.example', operation: 'autocomplete', visitor: '0'.repeat(16) };
  expect(await scene.account.store.decide([{ digest: digestApiKey(key), count: 1, callers: [caller] }])).toMatchObject([
    { status: 'publishable', allowedCount: 1 },
  ]);
  expect(scene.account.mails.at(-1)?.text).toContain('An API key was created');
  const { text } = await ada.get('/account');
  expect(text).toContain('Key for web pages: shop');
  expect(text).toContain('pp_pub_••••');
  expect(text).toContain('<code>https://shop.example</code><br><code>http://localhost:8080</code>');
  expect(text).not.toContain(key);
  expect(text).not.toContain('Create a key for web pages');
  const keys = await scene.account.browser(SCRIPT).get('/account/keys');
  expect(keys.body.keys).toEqual([]);
});

describe('what is wrong is told, and what was typed stays', () => {
  test.each([
    ['no origin', { origins: '' }, 'A publishable key needs 1 to 10 origins'],
    ['a path', { origins: 'https://shop.example/checkout' }, 'An origin must be a scheme and a host'],
    ['markup', { origins: '"><script>alert(1)</script>' }, 'An origin must be a scheme and a host'],
    ['no operation', { operations: '' }, 'Choose what the pages may call.'],
    ['bulk', { operations: 'bulk' }, 'The operations of a publishable key must be of'],
    ['no rate', { visitorRate: 'often' }, 'A visitor rate must be'],
    ['no name', { name: ' ' }, 'A key name must not be empty'],
  ])('%s', async (_, change, message) => {
    const fields: Record<string, string> = { ...CHOSEN, ...change };
    if (fields.operations === '') delete fields.operations;
    const { status, text } = await ada.post('/account/keys/publishable', fields);
    expect(status).toBe(422);
    expect(text).toContain(message);
    expect(text).toContain('<details open>');
    expect(text).toContain(`value="${fields.visitorRate}"`);
    expect(text).not.toContain('<script>alert');
    expect(await recordOf()).toBeUndefined();
  });
});

test('origins and operations can be changed, and the change is in the activity', async () => {
  await ada.post('/account/keys/publishable', CHOSEN);
  const { id = '' } = (await recordOf()) ?? {};
  const wrong = await ada.post(`/account/keys/${id}/restrict`, { ...CHOSEN, origins: 'shop' });
  expect([wrong.status, wrong.text.includes('>shop</textarea>')]).toEqual([422, true]);
  const { status, headers } = await ada.post(`/account/keys/${id}/restrict`, {
    ...{ origins: 'https://*.shop.example', operations: 'nearby', visitorRate: '9/h' },
  });
  expect([status, headers.location]).toEqual([303, '/account']);
  expect((await recordOf())?.restrictions).toEqual({
    origins: ['https://*.shop.example'],
    operations: ['nearby'],
    visitorRate: { requests: 9, seconds: 3_600 },
  });
  expect((await ada.get('/account')).text).toContain('key changed');
  expect(scene.account.mails.at(-1)?.subject).toContain('were changed');
});

test('replacing it makes a key with the same restrictions', async () => {
  await ada.post('/account/keys/publishable', CHOSEN);
  const before = await recordOf();
  const { text } = await ada.post(`/account/keys/${before?.id}/replace`, { overlap: '0' });
  expect(text).toMatch(/pp_pub_[0-9a-z]{39}/);
  const records = (await scene.account.store.directory.list()).map(({ record }) => record);
  expect(records.find(({ id }) => id !== before?.id && id === records.at(-1)?.id)?.restrictions).toEqual(
    before?.restrictions,
  );
});

test('keys count by their kind, belong to one account, and a secret key has nothing to change', async () => {
  await ada.post('/account/keys/publishable', CHOSEN);
  const second = await ada.post('/account/keys/publishable', CHOSEN);
  expect([second.status, second.text.includes('This account can have one key for web pages.')]).toEqual([409, true]);
  const entries = await scene.account.store.directory.list();
  const secret = entries.find(({ record }) => record.restrictions === undefined)?.record.id;
  const refused = await ada.post(`/account/keys/${secret}/restrict`, CHOSEN);
  expect([refused.status, refused.text.includes('This key is a secret key')]).toEqual([409, true]);
  const { id } = (await recordOf()) ?? {};
  const bob = scene.account.browser();
  await bob.signIn('bob@example.org');
  expect((await bob.post(`/account/keys/${id}/restrict`, CHOSEN)).status).toBe(404);
  const foreign = ada.sending({ 'sec-fetch-site': 'cross-site' });
  expect((await foreign.post('/account/keys/publishable', CHOSEN)).status).toBe(403);
});

test('the documents get the account’s keys in clear, and nobody else does', async () => {
  const script = ada.sending(SCRIPT);
  expect((await script.get('/account/keys/publishable')).body).toEqual({ keys: [] });
  const made = await ada.post('/account/keys/publishable', CHOSEN);
  const [clearKey] = /pp_pub_[0-9a-z]{39}/.exec(made.text) ?? [];
  const { body, headers } = await script.get('/account/keys/publishable');
  expect(body).toEqual({ keys: [{ name: 'shop', clearKey }] });
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['access-control-allow-origin']).toBeUndefined();
  // Showing what stands in a page is no event, and needs no new sign-in.
  scene.account.aheadMs += 60 * 60_000;
  expect((await script.get('/account/keys/publishable')).body.keys).toHaveLength(1);
  expect((await ada.get('/account')).text).not.toContain('key revealed');
  expect((await scene.account.browser(SCRIPT).get('/account/keys/publishable')).body).toEqual({ keys: [] });
  const { id } = (await recordOf()) ?? {};
  await ada.signIn('ada@example.org');
  await ada.post(`/account/keys/${id}/revoke`, { name: 'shop' });
  expect((await recordOf())?.state).toBe('revoked');
  expect((await script.get('/account/keys/publishable')).body).toEqual({ keys: [] });
});
