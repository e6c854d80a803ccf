/** The pages of accounts: what a developer sees, what changes and what never does, and what is refused. See sign-in.system.ts. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import request from 'supertest';
import { KeyStoreError } from '../../src/keys/storage/key-store-error.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { createAccountLimits } from '../../src/site/account/account-rate-limits.js';
import { Cookies } from '../../src/site/account/cookies.js';
import { MailError } from '../../src/site/account/mailer.js';
import { isSameOrigin } from '../../src/site/account/same-origin.js';
import { createSiteServer } from '../../src/site/site-server.js';
import { CLEAR_KEY, codeIn, keyIdIn, linkIn, SAME_ORIGIN, useAccountScene } from './account-scene.js';
import { createSite, NO_LIMITS, SITE_URL } from './site-scene.js';

const scene = useAccountScene();

async function signUp() {
  const browser = scene.account.browser();
  await browser.signIn('ada@example.org');
  return { browser, keyId: keyIdIn((await browser.get('/account')).text) };
}

describe('a developer', () => {
  test('signs up by a code, sees the key, replaces it and revokes it, and is told by mail', async () => {
    const browser = scene.account.browser();
    const asked = await browser.post('/account/sign-in', { email: 'Ada@example.org' });
    expect([asked.status, asked.headers.location]).toEqual([303, '/account/code']);
    expect((await browser.get('/account/code')).text).toContain('We sent a code to ada@example.org');
    const entered = await browser.post('/account/code', { code: codeIn(scene.account.mails[0]) });
    expect([entered.status, entered.headers.location]).toEqual([303, '/account']);
    const dashboard = (await browser.get('/account')).text;
    expect(dashboard).not.toMatch(CLEAR_KEY);
    const path = `/account/keys/${keyIdIn(dashboard)}`;
    const shown = await browser.post(`${path}/reveal`);
    const clearKey = CLEAR_KEY.exec(shown.text)?.[0] as string;
    expect(shown.headers).toMatchObject({ refresh: '60; url=/account', 'cache-control': 'no-store' });
    expect(shown.text).toContain(`curl -H 'x-api-key: ${clearKey}'`);
    expect((await browser.post(`${path}/replace`)).status).toBe(422);
    const replaced = await browser.post(`${path}/replace`, { overlap: '0' });
    expect(CLEAR_KEY.exec(replaced.text)?.[0]).not.toBe(clearKey);
    const nextPath = `/account/keys/${keyIdIn(replaced.text)}`;
    expect((await browser.post(`${nextPath}/revoke`, { name: 'key 2' })).status).toBe(422);
    expect((await browser.post(`${nextPath}/revoke`, { name: 'key 1' })).status).toBe(303);
    expect((await browser.post(`${nextPath}/reveal`)).status).toBe(409);
    expect((await browser.post('/account/keys')).text).toMatch(CLEAR_KEY);
    const told = scene.account.mails.slice(1).map(({ subject }) => /shown|replaced|revoked|created/.exec(subject)?.[0]);
    expect(told).toEqual(['shown', 'replaced', 'revoked', 'created']);
    expect(new Set(scene.account.mails.map(({ to }) => to))).toEqual(new Set(['ada@example.org']));
  });

  test('signs in by the link of the mail, whose page does nothing until the button is pressed', async () => {
    await scene.account.browser().post('/account/sign-in', { email: 'ada@example.org' });
    const link = linkIn(scene.account.mails[0]);
    const other = scene.account.browser();
    for (let count = 0; count < 9; count++) {
      const page = await other.get(link);
      expect(page.status).toBe(200);
      expect(page.text).toContain('Sign in as ada@example.org?');
    }
    expect(other.cookies.size).toBe(0);
    const fields = Object.fromEntries(new URL(link, SITE_URL).searchParams);
    expect((await other.post('/account/link', { ...fields, token: 'x' })).status).toBe(410);
    await other.post('/account/link', fields);
    expect((await other.get('/account')).text).toContain('Your key');
    expect((await other.get(link)).status).toBe(410);
  });

  test('has no session after signing out or closing the account', async () => {
    const browser = scene.account.browser();
    const isSignedOut = async (): Promise<boolean> => (await browser.get('/account')).text.includes('Send me a code');
    for (const path of ['/account/sign-out', '/account/sign-out-everywhere']) {
      await browser.signIn('bob@example.org');
      const session = browser.cookies.get('__Host-session') ?? '';
      await browser.post(path);
      expect(browser.cookies.size).toBe(0);
      browser.cookies.set('__Host-session', session);
      expect(await isSignedOut()).toBe(true);
    }
    await browser.signIn('bob@example.org');
    expect((await browser.post('/account/close', { email: 'ada@example.org' })).status).toBe(422);
    expect((await browser.post('/account/close', { email: 'bob@example.org' })).text).toContain('account is closed');
    expect([browser.cookies.size, await isSignedOut()]).toEqual([0, true]);
    expect(scene.account.mails.at(-1)).toMatchObject({ to: 'bob@example.org' });
  });

  test('sees the use of the key, drawn and in a table', async () => {
    const { browser, keyId } = await signUp();
    const entry = await scene.account.store.directory.find(keyId);
    await scene.account.store.decide([{ digest: entry?.digest ?? '', count: 7 }]);
    const { text } = await browser.get('/account');
    expect(text).toContain('7 of 10,000 requests');
    expect(text.match(/<rect /g)).toHaveLength(2);
    expect(text.match(/<td>7<\/td>/g)).toHaveLength(2);
  });
});

describe('the protection of an account', () => {
  const ACTS = [
    'sign-in',
    'link',
    'code',
    'fresh',
    'keys',
    'keys/key_0/reveal',
    'keys/key_0/replace',
    'keys/key_0/revoke',
  ];

  test('every POST is refused from elsewhere, and no GET does it', async () => {
    for (const path of [...ACTS, 'sign-out', 'sign-out-everywhere', 'close'].map((name) => `/account/${name}`)) {
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.test' }]) {
        const refused = await request(scene.account.site.app).post(path).set(headers).type('form').send({});
        expect([path, refused.status, refused.text.includes('Only pages of this site')]).toEqual([path, 403, true]);
      }
      const read = await scene.account.browser().get(path);
      // The link's page has nothing to show here.
      const expected = path === '/account/link' ? [410, undefined] : [303, '/account'];
      expect([path, read.status, read.headers.location]).toEqual([path, ...expected]);
    }
  });

  test('origins that are those of the site, and others', () => {
    for (const [siteUrl, origin, site, isTaken] of [
      [SITE_URL, SITE_URL, 'same-origin', true],
      [SITE_URL, SITE_URL, undefined, true],
      [SITE_URL, undefined, 'same-origin', true],
      [SITE_URL, undefined, undefined, false],
      [SITE_URL, undefined, 'cross-site', false],
      [SITE_URL, SITE_URL, 'same-site', false],
      [SITE_URL, SITE_URL, 'cross-site', false],
      [SITE_URL, 'https://evil.test', undefined, false],
      [SITE_URL, 'null', undefined, false],
      [SITE_URL, 'https://evil.test', 'none', false],
      [SITE_URL, 'https://evil.test', 'same-origin', false],
      [SITE_URL, 'null', 'same-origin', false],
      [SITE_URL, `${SITE_URL}:8443`, 'same-origin', false],
      [SITE_URL, '', 'same-origin', false],
      [SITE_URL, `${SITE_URL}, ${SITE_URL}`, 'same-origin', false],
      [SITE_URL, 'http://localhost', 'same-origin', false],
      ['http://127.0.0.1:3001', 'http://localhost:3001', 'same-origin', true],
      ['http://localhost:3001', 'http://[::1]:3001', 'same-origin', true],
      ['http://127.0.0.1:3001', 'http://localhost:3002', 'same-origin', false],
      ['http://127.0.0.1:3001', 'https://localhost:3001', 'same-origin', false],
      ['http://127.0.0.1:3001', 'http://localhost.evil.test:3001', 'same-origin', false],
      ['http://127.0.0.1:3001', 'null', 'same-origin', false],
      ['https://site.test', 'https://localhost', 'same-origin', false],
    ] as const) {
      const asked = { headers: { origin, 'sec-fetch-site': site } } as unknown as Request;
      expect([siteUrl, origin, site, isSameOrigin(asked, siteUrl)]).toEqual([siteUrl, origin, site, isTaken]);
    }
  });

  test('cookies are for this host alone, and for no script', async () => {
    const asked = await request(scene.account.site.app)
      .post('/account/sign-in')
      .set(SAME_ORIGIN)
      .type('form')
      .send({ email: 'ada@example.org' });
    expect(asked.headers['set-cookie']?.[0]).toMatch(
      /^__Host-sign-in=[\w-]{22}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(new Cookies(false).header('session', 'x')[1]).not.toMatch(/Secure|__Host/);
  });

  test('known and unknown addresses get the same answer', async () => {
    await scene.account.browser().signIn('ada@example.org');
    const answers = [];
    for (const email of ['ada@example.org', 'new@example.org']) {
      const { status, headers, text } = await scene.account.browser().post('/account/sign-in', { email });
      answers.push({ status, text, location: headers.location, length: scene.account.mails.at(-1)?.text.length });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test('no page is cached, indexed, or sent as a Referer', async () => {
    const { browser } = await signUp();
    for (const path of ['/account', '/account/code']) {
      const { headers } = await browser.get(path);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers.etag).toBeUndefined();
    }
    expect((await browser.get('/account')).text).toContain('<meta name="robots" content="noindex">');
  });

  test('pages of accounts count as pages that are made', async () => {
    const page = createAddressLimit({ requestsPerSecond: 0.001, burst: 2 });
    const limited = await scene.open({}, { limits: { ...NO_LIMITS, page } });
    const browser = limited.browser();
    const paths = ['/account', '/account/link?attempt=a&token=b', '/account', '/account/code'];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await browser.get(path)).status);
    expect(statuses).toEqual([200, 410, 429, 429]);
    expect((await limited.browser({ origin: 'https://other.test' }).post('/account/sign-in')).status).toBe(429);
  });

  test('a client that expects 100 Continue gets it before it sends a form', async () => {
    const { server } = createSiteServer(scene.account.site.app);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
    const form = 'email=expecting%40example.org';
    const head = ['POST /account/sign-in HTTP/1.1', 'host: a', `origin: ${SITE_URL}`, 'expect: 100-continue'];
    const fields = ['content-type: application/x-www-form-urlencoded', `content-length: ${form.length}`];
    let received = '';
    socket.on('data', (text) => {
      received += text;
      if (received === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(form);
    });
    socket.write(`${[...head, ...fields, 'connection: close'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 303 /);
    await new Promise((resolve) => server.close(resolve));
  });

  test('a hundred sign-ups from one address make eight accounts, and no more mails than ten', async () => {
    const limited = await scene.open({ limits: createAccountLimits(() => 0) });
    const statuses: number[] = [];
    for (let count = 0; count < 100; count++) {
      const browser = limited.browser();
      const { status } = await browser.post('/account/sign-in', { email: `user${count}@example.org` });
      statuses.push(status);
      if (status === 303) await browser.post('/account/code', { code: codeIn(limited.mails.at(-1)) });
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(90);
    expect(limited.mails).toHaveLength(10);
    expect(await limited.store.records.list('account')).toHaveLength(8);
    // Ten of the 30 guesses of a client have been made.
    const guesses: number[] = [];
    for (let count = 0; count < 30; count++) {
      guesses.push((await limited.browser().post('/account/code', { code: 'x' })).status);
    }
    expect(guesses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('a form that is too long, and one without an address', async () => {
    const browser = scene.account.browser();
    const tooLong = { email: `${'a'.repeat(20_000)}@example.org` };
    expect((await browser.post('/account/sign-in', tooLong)).status).toBe(400);
    expect((await browser.post('/account/sign-in')).status).toBe(422);
    expect(scene.account.mails).toEqual([]);
  });
});

describe('trouble', () => {
  test('of the mail server does not keep a key from its owner', async () => {
    const { browser, keyId } = await signUp();
    scene.account.mailTrouble = new MailError('gone');
    expect((await browser.post(`/account/keys/${keyId}/reveal`)).text).toMatch(CLEAR_KEY);
    const { lines } = scene.account.site.logger;
    expect(lines.map(({ message }) => message)).toContain('a notice was not sent');
    expect(JSON.stringify(lines)).not.toContain('ada@');
  });

  test.each([
    ['KEY_STORE_FAILED', 'Nothing was changed'],
    ['KEY_STORE_UNSURE', 'as a whole or not at all'],
  ] as const)('with the store is a page that says so: %s', async (code, text) => {
    const { browser } = await signUp();
    scene.account.store.records.get = async () => {
      throw new KeyStoreError(code, 'the store is gone', 'look at it');
    };
    const refused = await browser.get('/account');
    expect(refused.status).toBe(503);
    expect(refused.text).toContain(text);
    expect((await browser.get('/andorra')).status).toBe(200);
  });

  test('with the store after an act does not say that nothing was changed', async () => {
    const { browser, keyId } = await signUp();
    const { write, get } = scene.account.store.records;
    scene.account.store.records.write = async (changes) => {
      const version = await write.call(scene.account.store.records, changes);
      // The account's own write is the last that works.
      if (changes.length > 1) {
        scene.account.store.records.get = async () => {
          throw new KeyStoreError('KEY_STORE_FAILED', 'the store is gone', 'look at it');
        };
      }
      return version;
    };
    const replaced = await browser.post(`/account/keys/${keyId}/replace`, { overlap: '0' });
    expect([replaced.status, replaced.text.includes('Your change was made')]).toEqual([503, true]);
    const left = await browser.post('/account/sign-out');
    expect([left.status, browser.cookies.has('__Host-session')]).toEqual([503, false]);
    Object.assign(scene.account.store.records, { write, get });
    expect((await scene.account.store.directory.find(keyId))?.record.state).toBe('replaced');
    expect(scene.account.mails.at(-1)?.subject).toContain('was replaced');
  });

  test('of the store during a change is also mailed', async () => {
    const { browser, keyId } = await signUp();
    const { write } = scene.account.store.records;
    scene.account.store.records.write = async (changes) => {
      if (changes.length > 1) throw new KeyStoreError('KEY_STORE_UNSURE', 'the connection was lost', 'look');
      return await write.call(scene.account.store.records, changes);
    };
    expect((await browser.post(`/account/keys/${keyId}/reveal`)).status).toBe(503);
    expect(scene.account.mails.at(-1)?.text).toContain('This change may not have been made');
  });

  test('no accounts: a page says so, and nothing can be sent', async () => {
    const without = createSite(scene.snapshot);
    expect((await without.get('/account')).text).toContain('No accounts here');
    expect((await without.get('/')).text).not.toContain('href="/account"');
    expect((await request(without.app).post('/account/sign-in').set(SAME_ORIGIN)).status).toBe(405);
  });
});
