/**
 * The ways to sign in, by a mailed code and through the company's provider, a real one on loopback. What holds for both is
 * tested once for each; then who never gets in through a provider, and a provider that fails, or that answers without end,
 * too late, or with far too many words: a sign-in ends in time and holds little of it.
 */

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import type { Response } from 'supertest';
import { createAccountLimits } from '../../src/site/account/account-rate-limits.js';
import { MailError } from '../../src/site/account/mailer.js';
import type { AccountSite } from '../../src/site/account/open-accounts.js';
import { Provider } from '../../src/site/account/provider-sign-in.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { CLEAR_KEY, codeIn, keyIdIn, type Visitor } from './account-scene.js';
import {
  CALLBACK,
  CLIENT,
  createOidcProvider,
  hiddenFieldsOf,
  type OidcProviderScene,
  OTHER_KEY,
  useProviderScene,
} from './oidc-provider-scene.js';
import { decodeEntities, SITE_URL } from './site-scene.js';

const scene = useProviderScene(() => createScene());

interface SceneChange extends Partial<AccountSite> {
  readonly clientSecret?: string;
  /** Of the issuer. */
  readonly path?: string;
}

/** The site with both ways. */
function createScene({ clientSecret = CLIENT.clientSecret, path = '', ...change }: SceneChange = {}) {
  return scene.open(({ records }, clock) => ({
    provider: new Provider(
      'Example Account',
      { ...CLIENT, clientSecret, issuer: scene.oidc.issuer + path },
      records,
      clock,
    ),
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

interface Way {
  /** As far as what proves the address, with which the function that it gives signs in. */
  prove(browser: Visitor, isAgain?: boolean): Promise<() => Promise<Response>>;
  /** So that a new proof is asked for before a key is shown. */
  signInLongAgo(browser: Visitor): Promise<unknown>;
  /** The answer to whoever says that this is the address. */
  offer(browser: Visitor, email: string): Promise<Response>;
  /** Makes what the way needs fail, and gives what mends it. */
  fail(): Promise<() => unknown>;
  /** What the page of an account shows where a new proof is asked for. */
  readonly again: string;
}

const byMail: Way = {
  again: 'Send a code to ada@example.org',
  async prove(browser, isAgain = false) {
    await browser.post(isAgain ? '/account/fresh' : '/account/sign-in', { email: 'Ada@example.org' });
    const code = codeIn(scene.account.mails.at(-1));
    return () => browser.post('/account/code', { code });
  },
  async signInLongAgo(browser) {
    await browser.signIn('ada@example.org');
    scene.account.aheadMs = 11 * 60_000;
  },
  offer: (browser, email) => browser.post('/account/sign-in', { email }),
  async fail() {
    scene.account.mailTrouble = new MailError('the mail server did not take a mail (ECONNREFUSED)');
    return () => {
      scene.account.mailTrouble = undefined;
    };
  },
};

const byProvider: Way = {
  again: 'Sign in with Example Account again',
  async prove(browser) {
    const answer = await answerFor(browser);
    return () => browser.post(CALLBACK, answer);
  },
  async signInLongAgo(browser) {
    scene.oidc.person.secondsAgo = 3_600;
    await signIn(browser);
  },
  async offer(browser, email) {
    scene.oidc.person = { email, email_verified: true, secondsAgo: 0 };
    const left = await browser.post('/account/provider');
    return left.status === 200 ? await signIn(browser) : left;
  },
  async fail() {
    await scene.oidc.stop();
    return () => scene.oidc.listen();
  },
};

describe.each([
  ['by mail', byMail, byProvider],
  ['through the provider', byProvider, byMail],
])('a person, %s,', (_, way, other) => {
  test('gets an account, which the other way finds again', async () => {
    const [browser, second] = [scene.account.browser(), scene.account.browser()];
    const entered = await (await way.prove(browser))();
    expect([entered.status, entered.headers.location]).toEqual([303, '/account']);
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    const dashboard = (await browser.get('/account')).text;
    expect(dashboard).toContain('ada@example.org');
    expect(dashboard).not.toMatch(CLEAR_KEY);
    await (await other.prove(second))();
    expect((await second.get('/account')).text).toContain(keyIdIn(dashboard));
    expect(await listAccounts()).toHaveLength(1);
    expect(await scene.account.store.records.list('provider-sign-in')).toEqual([]);
    expect(scene.account.site.logger.lines).toEqual([]);
  });

  test('signs in again before a key is shown, ten minutes later', async () => {
    const browser = scene.account.browser();
    await way.signInLongAgo(browser);
    const dashboard = (await browser.get('/account')).text;
    expect(dashboard).toContain(way.again);
    expect(dashboard).not.toContain('Show the key');
    const path = `/account/keys/${keyIdIn(dashboard)}/reveal`;
    const refused = await browser.post(path);
    expect([refused.status, CLEAR_KEY.test(refused.text), refused.text.includes(way.again)]).toEqual([
      403,
      false,
      true,
    ]);
    await (await way.prove(browser, true))();
    expect((await browser.post(path)).text).toMatch(CLEAR_KEY);
  });

  test('is told of a failure, which spoils no other page, and signs in when it is over', async () => {
    const browser = scene.account.browser();
    const mend = await way.fail();
    for (let count = 0; count < 2; count++) {
      const refused = await way.offer(browser, 'ada@example.org');
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
    }
    const lines = JSON.stringify(scene.account.site.logger.lines);
    expect([lines.match(/ECONNREFUSED/g)?.length, lines.includes('ada@')]).toEqual([2, false]);
    for (const path of ['/', '/andorra', '/account']) expect((await browser.get(path)).status).toBe(200);
    await mend();
    await (await way.prove(browser))();
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('has an address that mail can go to', async () => {
    const none = ['ada', 'ada@example.org\r\nBcc: bob@example.org', 'ada@example.org,bob@example.org'];
    for (const email of [...none, '"><script>alert(1)</script>']) {
      const { status, text } = await way.offer(scene.account.browser(), email);
      expect([email, status, text.includes('<script>alert')]).toEqual([email, 422, false]);
    }
    expect([scene.account.mails, await listAccounts()]).toEqual([[], []]);
  });
});

test('a way that is not set does not exist; through the provider alone nothing is mailed', async () => {
  scene.account = await createScene({ mailer: undefined });
  const browser = scene.account.browser();
  const page = (await browser.get('/account')).text;
  expect(page).toContain('Sign in with Example Account');
  expect(page).not.toMatch(/by mail|E-mail address/);
  for (const path of ['/account/sign-in', '/account/fresh', '/account/code']) {
    expect((await browser.post(path, { email: 'ada@example.org' })).status).toBe(405);
  }
  await signIn(browser);
  const dashboard = (await browser.get('/account')).text;
  expect((await browser.post(`/account/keys/${keyIdIn(dashboard)}/reveal`)).text).toMatch(CLEAR_KEY);
  expect([scene.account.mails, scene.account.site.logger.lines]).toEqual([[], []]);
  const mailed = (await scene.open()).browser();
  expect((await mailed.get('/account')).text).not.toContain('/account/provider');
  expect((await mailed.post('/account/provider')).status).toBe(405);
});

describe('a provider', () => {
  test('is asked for an address by a code with a proof of its own, and once for what it is', async () => {
    const browser = scene.account.browser();
    const url = await begin(browser);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{ response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
      ...{ client_id: CLIENT.clientId, redirect_uri: SITE_URL + CALLBACK },
    });
    for (let count = 0; count < 2; count++) await signIn(browser);
    expect(scene.oidc.asked.filter((path) => path === '/.well-known/openid-configuration')).toHaveLength(1);
    // Who is signed in types the password again.
    expect(Object.fromEntries((await begin(browser)).searchParams)).toMatchObject({
      ...{ prompt: 'login', max_age: '0', login_hint: 'ada@example.org' },
    });
  });

  test('is believed where it puts the address into the ID token', async () => {
    await scene.oidc.stop();
    scene.oidc = await createOidcProvider([SITE_URL + CALLBACK], () => ({ conformIdTokenClaims: false }));
    scene.account = await createScene();
    const browser = scene.account.browser();
    await signIn(browser);
    expect(await isSignedIn(browser)).toBe(true);
    expect(scene.oidc.asked).not.toContain('/me');
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

  test('an answer that is not that of the provider to this sign-in', async () => {
    for (const [change, status] of [
      [{ code: '' }, 403],
      [{ state: '' }, 403],
      // This provider always names itself.
      [{ iss: '' }, 403],
      [{ iss: 'https://evil.test' }, 403],
      [{ state: 'x'.repeat(43) }, 403],
      [{ code: 'x'.repeat(20_000) }, 400],
      [{ code: 'x'.repeat(43) }, 410],
    ] as const) {
      const browser = scene.account.browser();
      const refused = await browser.post(CALLBACK, { ...(await answerFor(browser)), ...change });
      expect([change, refused.status, refused.headers['cache-control']]).toEqual([change, status, 'no-store']);
      expect(await isSignedIn(browser)).toBe(false);
    }
    expect(await listAccounts()).toEqual([]);
  });

  const TAMPERED: Record<string, NonNullable<OidcProviderScene['tamper']>> = {
    'the nonce of another sign-in': (claims) => ({ claims: { ...claims, nonce: 'another' } }),
    'no nonce': ({ nonce: _, ...claims }) => ({ claims }),
    'another issuer': (claims) => ({ claims: { ...claims, iss: 'https://evil.test' } }),
    'another audience': (claims) => ({ claims: { ...claims, aud: 'another-client' } }),
    'an end in the past': (claims) => ({ claims: { ...claims, exp: (claims.iat as number) - 3_600 } }),
    'the signature of another key': (claims) => ({ claims, key: OTHER_KEY }),
  };

  test('an ID token that is tampered with', async () => {
    const browser = scene.account.browser();
    for (const [name, tamper] of Object.entries(TAMPERED)) {
      scene.oidc.tamper = tamper;
      expect([name, (await signIn(browser)).status, await isSignedIn(browser)]).toEqual([name, 403, false]);
    }
    expect(logged()).toEqual(Array(6).fill('ANSWER_WRONG'));
    expect(await listAccounts()).toEqual([]);
    scene.oidc.tamper = (claims) => ({ claims });
    await signIn(browser);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('a person whose address is not verified', async () => {
    const email = 'ada@example.org';
    const browser = scene.account.browser();
    for (const person of [
      { email, email_verified: false },
      { email, email_verified: 'true' },
      { email },
      { email_verified: true },
    ]) {
      scene.oidc.person = { ...person, secondsAgo: 0 };
      expect([person, (await signIn(browser)).status, await isSignedIn(browser)]).toEqual([person, 403, false]);
    }
    expect(logged()).toEqual(Array(4).fill('ADDRESS_UNVERIFIED'));
    expect(await listAccounts()).toEqual([]);
  });

  test('a person whom the provider refuses', async () => {
    const browser = scene.account.browser();
    await begin(browser);
    const refused = await browser.get(`${CALLBACK}?error=access_denied&error_description=%3Cb%3EHi&state=x`);
    expect([refused.status, logged(), refused.text.includes('Hi')]).toEqual([403, ['PROVIDER_REFUSED'], false]);
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
    expect([refused.status, logged()]).toEqual([403, ['NOT_FRESH']]);
    expect(browser.cookies.get('__Host-session')).toBe(session);
    expect((await browser.get('/account')).text).toContain('Sign in with Example Account again');
  });

  test('a proof of the future, where a fresh one was asked for: one of the clocks is wrong', async () => {
    const browser = scene.account.browser();
    scene.account.aheadMs = -3_600_000;
    await signIn(browser);
    const session = browser.cookies.get('__Host-session');
    const refused = await signIn(browser);
    expect([refused.status, logged()]).toEqual([403, ['NOT_FRESH']]);
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

describe('trouble with a provider', () => {
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

describe('a provider that says too much, or nothing', () => {
  const ENDPOINTS = ['/.well-known/openid-configuration', '/token', '/jwks', '/me'];
  /** What follows an answer in JSON changes nothing of it. */
  const SPACES = ' '.repeat(2_000_000);
  const problems = () => scene.account.site.logger.lines.map(({ fields }) => (fields as { problem?: string }).problem);
  const trySignIn = (browser: Visitor) => byProvider.offer(browser, 'ada@example.org');

  test.each(ENDPOINTS.flatMap((path) => [false, true].map((isPacked) => [path, isPacked] as const)))(
    'an answer of %s that is too long is not read to its end, also where it is packed: %s',
    async (path, isPacked) => {
      scene.oidc.answerInstead.set(path, (body, response) => {
        if (isPacked) response.setHeader('content-encoding', 'gzip');
        response.end(isPacked ? gzipSync(body + SPACES) : body + SPACES);
      });
      const refused = await trySignIn(scene.account.browser());
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
      expect(problems()).toEqual([expect.stringContaining('its answer is longer than 1000000 bytes')]);
      expect(await scene.account.store.records.list('account')).toEqual([]);
      scene.oidc.answerInstead.clear();
      expect((await trySignIn(scene.account.browser())).status).toBe(303);
    },
  );

  test('an answer without end is cut off', async () => {
    let isCut = false;
    let chunkCount = 0;
    const goOn = (response: ServerResponse): void => {
      // 80 MB, so that a program which reads all of it does not take the machine's memory.
      while (chunkCount++ < 40) if (!response.write(SPACES)) return void response.once('drain', () => goOn(response));
      response.end();
    };
    scene.oidc.answerInstead.set('/.well-known/openid-configuration', (body, response) => {
      response.once('close', () => {
        isCut = !response.writableFinished;
      });
      response.write(body);
      goOn(response);
    });
    expect((await trySignIn(scene.account.browser())).status).toBe(503);
    await waitUntil('the connection to be closed', () => isCut);
    // One to be refused, and what lies in buffers on the way.
    expect(chunkCount).toBeLessThan(20);
  });

  test('all requests of a step have one deadline', async () => {
    const { timeout } = AbortSignal;
    // The deadline of 15 seconds comes after 600 ms.
    const hurry = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 25));
    for (const path of ['/token', '/jwks', '/me']) {
      scene.oidc.answerInstead.set(path, (body, response) => setTimeout(() => response.end(body), 250));
    }
    expect((await trySignIn(scene.account.browser())).status).toBe(503);
    expect(problems()).toEqual([expect.stringContaining('timeout')]);
    hurry.mockRestore();
  });

  test('what it says is cut before it is logged', async () => {
    scene.oidc.answerInstead.set('/token', (_, response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: 'e'.repeat(100_000), error_description: 'd'.repeat(100_000) }));
    });
    expect((await trySignIn(scene.account.browser())).status).toBe(503);
    expect(JSON.stringify(scene.account.site.logger.lines).length).toBeLessThan(1_000);
  });
});
