/** Sign-in through the company's provider, against a real one on loopback: who gets in, who never does, and trouble. */

import type { KeyObject } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DeveloperActions } from '../../src/keys/accounts/developer-actions.js';
import { createAccountLimits } from '../../src/site/account/account-rate-limits.js';
import type { AccountSite } from '../../src/site/account/open-accounts.js';
import { Provider } from '../../src/site/account/provider-sign-in.js';
import { CLEAR_KEY, keyIdIn, RULES, SAME_ORIGIN, type Visitor } from './account-scene.js';
import {
  CALLBACK,
  CLIENT,
  createOidcProvider,
  hiddenFieldsOf,
  OTHER_KEY,
  useProviderScene,
} from './oidc-provider-scene.js';
import { decodeEntities, SITE_URL } from './site-scene.js';

const scene = useProviderScene(() => createScene());

interface SceneChange extends Partial<AccountSite> {
  readonly domains?: readonly string[];
  readonly clientSecret?: string;
  /** Of the issuer. */
  readonly path?: string;
}

/** The site with the provider alone. */
function createScene({ domains, clientSecret = CLIENT.clientSecret, path = '', ...change }: SceneChange = {}) {
  return scene.open((store, clock) => ({
    mailer: undefined,
    provider: new Provider(
      'Example Account',
      { ...CLIENT, clientSecret, issuer: scene.oidc.issuer + path },
      store.records,
      clock,
    ),
    ...(domains && { accounts: new DeveloperActions(store, { ...RULES, domains }, clock) }),
    ...change,
  }));
}

type Answer = Record<string, string>;

/** Where the browser is sent. */
async function begin(browser: Visitor): Promise<URL> {
  const left = await browser.post('/account/provider');
  expect(left.status).toBe(200);
  const [, url = ''] = /^0; url=(.*)$/.exec(left.headers.refresh ?? '') ?? [];
  expect(decodeEntities(left.text)).toContain(`<a href="${url}">`);
  return new URL(url);
}

/** What the form of the callback's page sends. */
async function arrive(browser: Visitor, { pathname, search }: URL): Promise<Answer> {
  const { status, text } = await browser.get(pathname + search);
  expect(status).toBe(200);
  return hiddenFieldsOf(text);
}

async function answerFor(browser: Visitor): Promise<Answer> {
  return await arrive(browser, await scene.oidc.visit((await begin(browser)).href));
}

async function signIn(browser: Visitor) {
  return await browser.post(CALLBACK, await answerFor(browser));
}

const listAccounts = () => scene.account.store.records.list('account');
const isSignedIn = async (browser: Visitor) => (await browser.get('/account')).text.includes('Your key');
const logged = () => scene.account.site.logger.lines.map(({ fields }) => (fields as { code?: string }).code);

describe('a person of the company', () => {
  test('signs in: at the first time the account is made, at the second it is found', async () => {
    const browser = scene.account.browser();
    const page = (await browser.get('/account')).text;
    expect(page).toContain('Sign in with Example Account');
    expect(page).not.toMatch(/by mail|E-mail address/);
    const url = await begin(browser);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{ response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
      ...{ client_id: CLIENT.clientId, redirect_uri: SITE_URL + CALLBACK },
    });
    const entered = await browser.post(CALLBACK, await arrive(browser, await scene.oidc.visit(url.href)));
    expect([entered.status, entered.headers.location]).toEqual([303, '/account']);
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    expect(await scene.account.store.records.list('provider-sign-in')).toEqual([]);
    const dashboard = (await browser.get('/account')).text;
    expect(dashboard).toContain('ada@example.org');
    const keyId = keyIdIn(dashboard);
    const other = scene.account.browser();
    await signIn(other);
    expect((await other.get('/account')).text).toContain(keyId);
    expect(await listAccounts()).toHaveLength(1);
    expect((await other.post(`/account/keys/${keyId}/reveal`)).text).toMatch(CLEAR_KEY);
    expect(scene.account.mails).toEqual([]);
    expect(scene.account.site.logger.lines).toEqual([]);
    expect(scene.oidc.asked.filter((path) => path === '/.well-known/openid-configuration')).toHaveLength(1);
  });

  test('is believed where the provider puts the address into the ID token', async () => {
    await scene.oidc.stop();
    scene.oidc = await createOidcProvider([SITE_URL + CALLBACK], () => ({ conformIdTokenClaims: false }));
    scene.account = await createScene();
    const browser = scene.account.browser();
    await signIn(browser);
    expect(await isSignedIn(browser)).toBe(true);
    expect(scene.oidc.asked).not.toContain('/me');
  });

  test('asks for a new sign-in if the provider asked for the password long ago', async () => {
    scene.oidc.person.secondsAgo = 3_600;
    const browser = scene.account.browser();
    await signIn(browser);
    const dashboard = (await browser.get('/account')).text;
    expect(dashboard).toContain('Sign in with Example Account again');
    const keyId = keyIdIn(dashboard);
    const refused = await browser.post(`/account/keys/${keyId}/reveal`);
    expect([refused.status, CLEAR_KEY.test(refused.text)]).toEqual([403, false]);
    expect(refused.text).toContain('Sign in with Example Account again');
    const fresh = await begin(browser);
    expect(Object.fromEntries(fresh.searchParams)).toMatchObject({
      ...{ prompt: 'login', max_age: '0', login_hint: 'ada@example.org' },
    });
    await browser.post(CALLBACK, await arrive(browser, await scene.oidc.visit(fresh.href)));
    expect((await browser.post(`/account/keys/${keyId}/reveal`)).text).toMatch(CLEAR_KEY);
  });

  test('has the choice where there is mail too', async () => {
    const both = await scene.open(({ records }) => ({
      provider: new Provider('Example Account', { ...CLIENT, issuer: scene.oidc.issuer }, records),
    }));
    const browser = both.browser();
    await browser.signIn('ada@example.org');
    expect(await isSignedIn(browser)).toBe(true);
    const other = both.browser();
    const page = (await other.get('/account')).text;
    expect(page).toContain('Send me a code');
    await signIn(other);
    expect(await isSignedIn(other)).toBe(true);
    expect(await both.store.records.list('account')).toHaveLength(1);
  });
});

describe('what never signs in', () => {
  test('coming back alone, however often', async () => {
    const browser = scene.account.browser();
    const back = await scene.oidc.visit((await begin(browser)).href);
    const before = await scene.account.store.records.list('provider-sign-in');
    const cookies = new Map(browser.cookies);
    for (let count = 0; count < 5; count++) await arrive(browser, back);
    expect(await scene.account.store.records.list('provider-sign-in')).toEqual(before);
    expect(browser.cookies).toEqual(cookies);
    expect(await listAccounts()).toEqual([]);
    expect(scene.oidc.asked).not.toContain('/token');
    await browser.post(CALLBACK, await arrive(browser, back));
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('an answer that is sent several times at once, more than once', async () => {
    const browser = scene.account.browser();
    const answer = await answerFor(browser);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await browser.post(CALLBACK, answer)).status));
    // The provider takes its token back where it sees a code again, which may be before the first was done.
    const signedIn = statuses.filter((status) => status === 303);
    expect(signedIn.length).toBeLessThan(2);
    expect(statuses.filter((status) => status === 410)).toHaveLength(3 - signedIn.length);
    expect(await scene.account.store.records.list('session')).toHaveLength(signedIn.length);
  });

  test('an answer that another browser was given', async () => {
    const [attacker, victim, idle] = [scene.account.browser(), scene.account.browser(), scene.account.browser()];
    const answer = await answerFor(attacker);
    await begin(victim);
    const askedBefore = scene.oidc.asked.length;
    expect((await victim.post(CALLBACK, answer)).status).toBe(403);
    expect((await idle.post(CALLBACK, answer)).status).toBe(410);
    expect([await isSignedIn(victim), await isSignedIn(idle)]).toEqual([false, false]);
    expect(scene.oidc.asked).toHaveLength(askedBefore);
    expect(await listAccounts()).toEqual([]);
  });

  test("a code that another sign-in was given, with this sign-in's own state", async () => {
    const [attacker, victim] = [scene.account.browser(), scene.account.browser()];
    const { code = '' } = await answerFor(attacker);
    const answer = await answerFor(victim);
    expect((await victim.post(CALLBACK, { ...answer, code })).status).toBe(410);
    expect(await isSignedIn(victim)).toBe(false);
  });

  test.each([
    ['no code', { code: '' }, 403],
    ['no state', { state: '' }, 403],
    ['no issuer, which this provider always names', { iss: '' }, 403],
    ['another issuer', { iss: 'https://evil.test' }, 403],
    ['another state', { state: 'x'.repeat(43) }, 403],
    ['a code that is too long', { code: 'x'.repeat(20_000) }, 400],
    ['a code that the provider does not know', { code: 'x'.repeat(43) }, 410],
  ])('an answer with %s', async (_, change, status) => {
    const browser = scene.account.browser();
    const answer = await answerFor(browser);
    const refused = await browser.post(CALLBACK, { ...answer, ...change });
    expect([refused.status, refused.headers['cache-control']]).toEqual([status, 'no-store']);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await listAccounts()).toEqual([]);
  });

  test.each<[string, (claims: Record<string, unknown>) => { claims: Record<string, unknown>; key?: KeyObject }]>([
    ['the nonce of another sign-in', (claims) => ({ claims: { ...claims, nonce: 'another' } })],
    ['no nonce', ({ nonce: _, ...claims }) => ({ claims })],
    ['another issuer', (claims) => ({ claims: { ...claims, iss: 'https://evil.test' } })],
    ['another audience', (claims) => ({ claims: { ...claims, aud: 'another-client' } })],
    ['an end in the past', (claims) => ({ claims: { ...claims, exp: (claims.iat as number) - 3_600 } })],
    ['the signature of another key', (claims) => ({ claims, key: OTHER_KEY })],
  ])('an ID token with %s', async (_, tamper) => {
    scene.oidc.tamper = tamper;
    const browser = scene.account.browser();
    expect((await signIn(browser)).status).toBe(403);
    expect(logged()).toEqual(['ANSWER_WRONG']);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await listAccounts()).toEqual([]);
    scene.oidc.tamper = (claims) => ({ claims });
    await signIn(browser);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test.each([
    ['is not verified', { email: 'ada@example.org', email_verified: false }, 403, 'is not verified'],
    ['is verified in words only', { email: 'ada@example.org', email_verified: 'true' }, 403, 'is not verified'],
    ['may be verified', { email: 'ada@example.org' }, 403, 'is not verified'],
    ['is missing', { email_verified: true }, 403, 'is not verified'],
    ['is none', { email: 'ada', email_verified: true }, 422, 'not an e-mail address'],
    ['holds a header', { email: 'ada@example.org\r\nbcc: x@y.test', email_verified: true }, 422, 'not an e-mail'],
  ])('a person whose address %s', async (_, person, status, text) => {
    scene.oidc.person = { ...person, secondsAgo: 0 };
    const browser = scene.account.browser();
    const refused = await signIn(browser);
    expect([refused.status, refused.text.includes(text)]).toEqual([status, true]);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await listAccounts()).toEqual([]);
  });

  test('a person whom the provider refuses', async () => {
    const browser = scene.account.browser();
    await begin(browser);
    const refused = await browser.get(`${CALLBACK}?error=access_denied&error_description=%3Cb%3EHi&state=x`);
    expect([refused.status, refused.text.includes('did not let you in')]).toEqual([403, true]);
    expect(refused.text).not.toContain('Hi');
    await browser.get(`${CALLBACK}?error=${encodeURIComponent('\u001b[31mforged line')}`);
    expect(JSON.stringify(scene.account.site.logger.lines)).not.toContain('forged');
  });

  test('markup in the answer', async () => {
    const { text } = await scene.account
      .browser()
      .get(`${CALLBACK}?code=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;');
  });

  test('a proof that is not fresh, where one was asked for', async () => {
    scene.oidc.person.secondsAgo = 3_600;
    const browser = scene.account.browser();
    await signIn(browser);
    // Who sits at the browser takes out of the address what makes the provider ask.
    const url = await begin(browser);
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
    const session = browser.cookies.get('__Host-session');
    const refused = await browser.post(CALLBACK, await arrive(browser, await scene.oidc.visit(url.href)));
    expect([refused.status, refused.text.includes('just now')]).toEqual([403, true]);
    expect(browser.cookies.get('__Host-session')).toBe(session);
    expect((await browser.get('/account')).text).toContain('Sign in with Example Account again');
  });

  test('a proof of the future, where a fresh one was asked for: one of the clocks is wrong', async () => {
    const browser = scene.account.browser();
    scene.account.aheadMs = -3_600_000;
    await signIn(browser);
    const session = browser.cookies.get('__Host-session');
    const refused = await signIn(browser);
    expect([refused.status, refused.text.includes('just now')]).toEqual([403, true]);
    expect(browser.cookies.get('__Host-session')).toBe(session);
  });

  test('a client that begins too many sign-ins', async () => {
    const limited = await createScene({ limits: createAccountLimits(() => 0) });
    const statuses: number[] = [];
    for (let count = 0; count < 70; count++) statuses.push((await limited.browser().post('/account/provider')).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await limited.store.records.list('provider-sign-in')).toHaveLength(60);
  });
});

describe('trouble with the provider', () => {
  test('is a page that says so, until the provider is back; the rest of the site works', async () => {
    await scene.oidc.stop();
    const browser = scene.account.browser();
    for (let count = 0; count < 2; count++) {
      const refused = await browser.post('/account/provider');
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
      expect(refused.text).toContain('Sign-in is not available at the moment');
    }
    expect(logged()).toEqual(['PROVIDER_FAILED', 'PROVIDER_FAILED']);
    expect(JSON.stringify(scene.account.site.logger.lines)).toContain('ECONNREFUSED');
    for (const path of ['/', '/andorra', '/account']) expect((await browser.get(path)).status).toBe(200);
    await scene.oidc.listen();
    await signIn(browser);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('in the callback leaves the sign-in unused', async () => {
    const browser = scene.account.browser();
    const answer = await answerFor(browser);
    await scene.oidc.stop();
    const refused = await browser.post(CALLBACK, answer);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
    await scene.oidc.listen();
    await browser.post(CALLBACK, answer);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('with a wrong or another issuer is logged', async () => {
    for (const path of ['/elsewhere', '/.well-known/jwks.json']) {
      scene.account = await createScene({ path });
      expect((await scene.account.browser().post('/account/provider')).status).toBe(503);
      expect(logged()).toEqual(['PROVIDER_FAILED']);
    }
  });

  test('that refuses the client is logged, without the secret', async () => {
    scene.account = await createScene({ clientSecret: 'another secret' });
    const refused = await signIn(scene.account.browser());
    expect(refused.status).toBe(503);
    const lines = JSON.stringify(scene.account.site.logger.lines);
    expect(lines).toContain('OIDC_CLIENT_SECRET');
    expect(lines).not.toContain('another secret');
  });
});

test('without mail there are no codes, and without a provider there is no redirect to one', async () => {
  const browser = scene.account.browser();
  for (const path of ['/account/sign-in', '/account/fresh', '/account/code']) {
    expect((await browser.post(path, { email: 'ada@example.org' })).status).toBe(405);
  }
  const byMail = await scene.open();
  const other = byMail.browser();
  expect((await other.get('/account')).text).not.toContain('/account/provider');
  expect((await request(byMail.site.app).post('/account/provider').set(SAME_ORIGIN)).status).toBe(405);
});
