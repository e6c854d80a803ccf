/** Publishable keys by the commands: made, listed, changed, replaced, and moved to another store. */

import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { routes } from '../../../src/api/description/routes.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { NOW, PLANS, runFailure, runJson, runText, SECRET } from './run-cli.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
let env: Record<string, string>;
beforeEach(() => {
  env = { KEYS_DIR: folders.make(), PLANS, KEY_SECRET: SECRET };
});

const CREATE = ['create', '--name', 'shop', '--origin', 'HTTPS://Shop.example:443/', '--origin'];
const MADE = [
  ...CREATE,
  'https://*.shop.example,http://localhost:8080',
  '--only',
  'autocomplete,postcodes,check,nearby',
];
const RESTRICTIONS = {
  origins: ['https://shop.example', 'https://*.shop.example', 'http://localhost:8080'],
  operations: ['findPostcode', 'autocomplete', 'nearby', 'listPostcodes', 'checkPostcode', 'findPostcodes'],
  visitorRate: { requests: 300, seconds: 86_400 },
};

test('create makes one, with a prefix of its own, and says so', async () => {
  const { key, store, ...record } = await runJson(MADE, { env });
  expect(key).toMatch(/^pp_pub_[0-9a-z]{39}$/);
  expect(record).toMatchObject({ name: 'shop', plan: 'free', restrictions: RESTRICTIONS });
  expect(await runText([...MADE, '--visitor-rate', '60/m'], { env })).toMatch(
    /^Made the publishable key key_\w{12} \(shop\)/,
  );
  const shown = await runText(['show', record.id], { env });
  expect(shown).toMatch(/^Kind +publishable$/m);
  expect(shown).toMatch(/^Origins +https:\/\/shop\.example, https:\/\/\*\.shop\.example, http:\/\/localhost:8080$/m);
  expect(shown).toMatch(/^Operations +findPostcode, autocomplete, /m);
  expect(shown).toMatch(/^Visitor rate +300\/d$/m);
  expect(await runText(['list'], { env })).toMatch(new RegExp(`^${record.id} .* publishable +shop$`, 'm'));
  expect(await runText(['reveal', record.id], { env })).toBe(`${key}\n`);
});

test('a secret key has no restrictions, also in JSON', async () => {
  const record = await runJson(['create', '--name', 'server'], { env });
  expect(Object.keys(record)).toEqual([
    ...['id', 'key', 'name', 'plan', 'created', 'expires', 'state', 'replacedBy', 'graceUntil', 'store'],
  ]);
  expect(record.key).toMatch(/^pp_[0-9a-z]{39}$/);
});

describe('wrong options', () => {
  test.each([
    ['an origin alone', ['--origin', 'https://shop.example'], /--origin <origin> and --only <operations>/],
    ['operations alone', ['--only', 'check'], /--origin <origin> and --only <operations>/],
    ['a visitor rate alone', ['--visitor-rate', '60/m'], /--origin <origin> and --only <operations>/],
    ['a path', ['--origin', 'https://shop.example/checkout', '--only', 'check'], /no path or user/],
    ['every site', ['--origin', 'https://*.example', '--only', 'check'], /can't stand for every site/],
    ['a rate without a unit', ['--origin', 'https://shop.example', '--only', 'check', '--visitor-rate', '9'], /300\/d/],
    [
      'bulk',
      ['--origin', 'https://shop.example', '--only', 'check,bulk'],
      /must be of check, postcodes, listCountries, /,
    ],
    [
      'a name of no operation, which is told with all names',
      ['--origin', 'https://shop.example', '--only', 'toString'],
      new RegExp(routes.map(({ id }) => `(?=.*\\b${id}\\b)`).join('')),
    ],
    ['no name', ['--origin', 'https://shop.example', '--only', ''], /must be of check/],
  ])('%s', async (_, options, message) => {
    expect(await runFailure(2, ['create', '--name', 'x', ...options], { env })).toMatch(message);
  });
});

test('update changes what it is given, and nothing of a secret key', async () => {
  const { id, key, store, ...record } = await runJson(MADE, { env });
  const changed = await runJson(['update', id, '--origin', 'https://new.example'], { env });
  expect(changed).toEqual({ id, ...record, restrictions: { ...RESTRICTIONS, origins: ['https://new.example'] } });
  const again = await runJson(['update', id, '--only', 'check', '--visitor-rate', '10/s'], { env });
  expect(again.restrictions).toEqual({
    origins: ['https://new.example'],
    operations: ['checkPostcode'],
    visitorRate: { requests: 10, seconds: 1 },
  });
  expect(await runText(['update', id, '--visitor-rate', '9/h'], { env })).toMatch(/^Visitor rate +9\/h$/m);
  expect(await runFailure(2, ['update', id], { env })).toContain('keys update needs');
  const secret = await runJson(['create', '--name', 'server'], { env });
  expect(await runFailure(1, ['update', secret.id, '--only', 'check'], { env })).toContain('is a secret key');
  await runText(['revoke', id], { env });
  expect(await runFailure(1, ['update', id, '--only', 'check'], { env })).toContain('was revoked, for good');
});

test('replace makes a publishable key with the same restrictions', async () => {
  const { id } = await runJson(MADE, { env });
  const next = await runJson(['replace', id, '--grace', '1h'], { env });
  expect(next).toMatchObject({ key: expect.stringMatching(/^pp_pub_/), restrictions: RESTRICTIONS });
  expect(next.replaced).toMatchObject({ id, restrictions: RESTRICTIONS, state: 'replaced' });
});

test('export and import carry the restrictions; wrong ones are refused', async () => {
  const { id } = await runJson(MADE, { env });
  await runJson(['create', '--name', 'server'], { env });
  const exported = await runText(['export'], { env });
  const other = { ...env, KEYS_DIR: folders.make() };
  expect(await runJson(['import', '-'], { env: other, input: exported })).toMatchObject({ imported: 2 });
  expect(await runText(['export'], { env: other })).toBe(exported);
  expect(await runJson(['show', id], { env: other })).toMatchObject({ restrictions: RESTRICTIONS });
  const wrong = exported.replace('"restrictions":{', '"restrictions":null,"x":{');
  const third = { ...env, KEYS_DIR: folders.make() };
  expect(await runFailure(2, ['import', '-'], { env: third, input: wrong })).toContain('no export to import');
  expect(NOW).toBe((await runJson(['show', id], { env: other })).created);
});
