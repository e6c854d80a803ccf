/** When there are accounts: what has to be set, where codes may be shown, and what the site says of what is missing. */

import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
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

async function open(environment: Record<string, string>, isTerminal = false) {
  const written: string[] = [];
  const settings = readSiteSettings({ KEYS_DIR: join(folders.make(), 'keys'), ...environment });
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
