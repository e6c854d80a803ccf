/** How an operator sets up sign-in through a provider: what is refused, what is missing, and that nothing is asked yet. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { type OpenedAccounts, openAccounts } from '../../src/site/account/open-accounts.js';
import { readSiteSettings } from '../../src/site/site-settings.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

/** Where nothing listens: a start that asked the provider for something would fail. */
const PROVIDER = {
  OIDC_ISSUER: 'http://127.0.0.1:9/tenant',
  OIDC_CLIENT_ID: 'postal-places',
  OIDC_CLIENT_SECRET: 'a secret of the client',
};
const SILENT = { isTerminal: false, write() {} };

function settingsOf(environment: Record<string, string>) {
  return readSiteSettings({
    KEYS_DIR: folders.make(),
    KEY_SECRET: 'a secret of thirty-two characters',
    SITE_URL: 'https://site.test',
    ...environment,
  });
}

async function open(environment: Record<string, string>, use: (opened: OpenedAccounts | undefined) => void) {
  const { opened, missing } = await openAccounts(settingsOf(environment), silentLogger, SILENT);
  try {
    use(opened);
  } finally {
    await opened?.close();
  }
  return missing;
}

describe('a provider', () => {
  test('is enough without mail, and known by the host of its issuer', async () => {
    const missing = await open(PROVIDER, (opened) => {
      expect(opened?.site.provider?.name).toBe('127.0.0.1:9');
      expect(opened?.site.mailer).toBeUndefined();
    });
    expect(missing).toEqual([]);
  });

  test('has the name that it is given, and mail beside it where that is set', async () => {
    const more = { OIDC_NAME: 'Example Account', MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'places@example.com' };
    await open({ ...PROVIDER, ...more }, (opened) => {
      expect(opened?.site.provider?.name).toBe('Example Account');
      expect(opened?.site.mailer).toBeDefined();
    });
  });

  test('or mail has to be there', async () => {
    const missing = await open({}, (opened) => expect(opened).toBeUndefined());
    expect(missing).toEqual(['MAIL_URL and MAIL_FROM']);
  });

  test.each(Object.keys(PROVIDER))(
    'is no half of one: without %s the start says which is missing',
    async (variable) => {
      const { [variable as keyof typeof PROVIDER]: _, ...rest } = PROVIDER;
      const opening = openAccounts(settingsOf(rest), silentLogger, SILENT);
      await expect(opening).rejects.toThrow(new RegExp(`^${variable} must be set too`));
      expect((await openAccounts(settingsOf({ ...rest, ACCOUNTS: 'off' }), silentLogger, SILENT)).opened).toBe(
        undefined,
      );
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
