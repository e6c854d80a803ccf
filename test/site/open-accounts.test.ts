/**
 * When there are accounts: what has to be set, of mail or of a provider, where codes may be shown, what the site says of
 * what is missing, and that no provider is asked yet.
 */

import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { InvalidValueError } from '../../src/base/errors.js';
import { openAccounts } from '../../src/site/account/open-accounts.js';
import { readSiteSettings } from '../../src/site/site-settings.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

const SECRET = { KEY_SECRET: 'a secret of thirty-two characters' };
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'places@site.test' };
const HTTPS = { SITE_URL: 'https://site.test', SITE_HOST: '0.0.0.0' };

/** Where nothing listens: a start that asked the provider for something would fail. */
const PROVIDER = {
  OIDC_ISSUER: 'http://127.0.0.1:9/tenant',
  OIDC_CLIENT_ID: 'postal-places',
  OIDC_CLIENT_SECRET: 'a secret of the client',
};

const settingsOf = (environment: Record<string, string>) =>
  readSiteSettings({ KEYS_DIR: join(folders.make(), 'keys'), ...environment });

async function open(environment: Record<string, string>, isTerminal = false) {
  const written: string[] = [];
  const settings = settingsOf(environment);
  const write = (text: string): void => void written.push(text);
  const { opened, missing } = await openAccounts(settings, silentLogger, { isTerminal, write });
  await opened?.site.mailer?.send({ to: 'a@example.org', subject: 'hello', text: 'text' }).catch(() => {});
  await opened?.close();
  return { isOpen: opened !== undefined, missing, isShown: written.join('').includes('hello'), opened };
}

test.each([
  ['all that is needed, behind TLS', { ...SECRET, ...MAIL, ...HTTPS }, [], false],
  ['all that is needed, at home', { ...SECRET, ...MAIL }, [], false],
  ['no secret', { ...MAIL, ...HTTPS }, ['KEY_SECRET'], false],
  ['no mail', { ...SECRET, ...HTTPS }, ['MAIL_URL and MAIL_FROM'], false],
  ['no mail, on a terminal but open to others', { ...SECRET, ...HTTPS }, ['MAIL_URL and MAIL_FROM'], true],
  ['no TLS', { ...SECRET, ...MAIL, SITE_URL: 'http://site.test' }, ['SITE_URL with https'], false],
  ['no TLS, at no known address', { ...SECRET, ...MAIL, SITE_HOST: '0.0.0.0' }, ['SITE_URL with https'], false],
  ['nothing', {}, ['KEY_SECRET', 'MAIL_URL and MAIL_FROM'], false],
  ['accounts that are off', { ...SECRET, ...MAIL, ...HTTPS, ACCOUNTS: 'off' }, [], false],
])('with %s', async (_, environment, missing, isTerminal) => {
  const found = await open(environment, isTerminal);
  const isOff = 'ACCOUNTS' in environment;
  expect(found).toMatchObject({ isOpen: missing.length === 0 && !isOff, missing, isShown: false });
});

test('on a terminal at home, mails are shown there', async () => {
  expect(await open(SECRET, true)).toMatchObject({ isOpen: true, missing: [], isShown: true });
  expect(await open({ ...SECRET, ...MAIL }, true)).toMatchObject({ isOpen: true, isShown: false });
});

test('mail without a sender is a wrong start', async () => {
  await expect(open({ ...SECRET, MAIL_URL: MAIL.MAIL_URL })).rejects.toThrow(InvalidValueError);
});

test.each([
  ['behind TLS', HTTPS, /^__Host-session=x; .*Secure/],
  ['at home', {}, /^session=x; (?!.*Secure)/],
])('cookies %s', async (_, environment, form) => {
  const { opened } = await open({ ...SECRET, ...MAIL, ...environment });
  expect(opened?.site.cookies.header('session', 'x')[1]).toMatch(form);
});

describe('a provider', () => {
  test('is enough without mail, and known by the host of its issuer or by its own name', async () => {
    const { opened, missing } = await open({ ...SECRET, ...HTTPS, ...PROVIDER });
    expect([opened?.site.provider?.name, opened?.site.mailer, missing]).toEqual(['127.0.0.1:9', undefined, []]);
    const named = (await open({ ...SECRET, ...HTTPS, ...PROVIDER, ...MAIL, OIDC_NAME: 'Example Account' })).opened;
    expect([named?.site.provider?.name, named?.site.mailer !== undefined]).toEqual(['Example Account', true]);
  });

  test.each(Object.keys(PROVIDER))(
    'is no half of one: without %s the start says which is missing',
    async (variable) => {
      const { [variable as keyof typeof PROVIDER]: _, ...rest } = PROVIDER;
      await expect(open({ ...SECRET, ...HTTPS, ...rest })).rejects.toThrow(new RegExp(`^${variable} must be set too`));
      expect((await open({ ...SECRET, ...HTTPS, ...rest, ACCOUNTS: 'off' })).isOpen).toBe(false);
    },
  );
});

describe('settings', () => {
  test.each([
    'http://login.example.com',
    'http://127.0.0.1.example.com',
    'https://user:password@login.example.com',
    'https://login.example.com/?tenant=1',
    'https://login.example.com/#tenant',
    'login.example.com',
    'file:///etc/passwd',
  ])('OIDC_ISSUER is not %s', (text) => {
    expect(() => settingsOf({ OIDC_ISSUER: text })).toThrow('OIDC_ISSUER must be');
  });

  test.each(['https://login.example.com', 'https://login.example.com/tenant/v2.0', 'http://localhost:8080/realms/one'])(
    'OIDC_ISSUER may be %s',
    (text) => {
      expect(settingsOf({ OIDC_ISSUER: text }).accounts.oidcIssuer).toBe(text);
    },
  );

  test('a secret is not shown where it is wrong', () => {
    const read = () => settingsOf({ OIDC_CLIENT_SECRET: 'hidden\nsecret' });
    expect(read).toThrow('OIDC_CLIENT_SECRET must be');
    expect(read).not.toThrow('hidden');
  });

  test.each(['', ' ', '<b>', 'x'.repeat(41)])('OIDC_NAME is not %j', (text) => {
    expect(() => settingsOf({ OIDC_NAME: text })).toThrow('OIDC_NAME must be');
  });
});
