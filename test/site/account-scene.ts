/** The site with accounts over a store of its own, a clock that can be moved, and mails that are kept. */

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Response } from 'supertest';
import request from 'supertest';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { DeveloperActions } from '../../src/keys/accounts/developer-actions.js';
import { openEmbeddedKeyStore } from '../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../src/keys/key/plan.js';
import { createAccountLimits } from '../../src/site/account/account-rate-limits.js';
import { Cookies } from '../../src/site/account/cookies.js';
import type { Mail } from '../../src/site/account/mailer.js';
import { type AccountSite, waitLimitsOf } from '../../src/site/account/open-accounts.js';
import type { SiteDependencies } from '../../src/site/app.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import { createSite, SITE_URL, type SiteScene } from './site-scene.js';

const RULES = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
/** What scripts of the site send when they ask for JSON. */
export const SCRIPT = { ...SAME_ORIGIN, accept: 'application/json' };
export const CLEAR_KEY = /pp_[\da-hjkmnp-tv-z]{39}/;

/** The id of the first key on a page, or nothing. */
export function keyIdIn(text: string): string {
  return /key_[\da-z]{12}/.exec(text)?.[0] ?? '';
}

export interface AccountScene {
  readonly site: SiteScene;
  readonly store: KeyStore;
  /** Mails that were sent, the last one last. */
  readonly mails: Mail[];
  /** How far the clock is ahead. */
  aheadMs: number;
  /** What sending a mail rejects with, where it is to fail. */
  mailTrouble: Error | undefined;
  /** A browser with cookies of its own. */
  browser(headers?: Record<string, string>): Visitor;
  close(): Promise<void>;
}

/** Somebody with a browser that keeps cookies and follows nothing. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Response>;
  post(path: string, fields?: Record<string, string>): Promise<Response>;
  /** Asks for a code and types it. */
  signIn(email: string): Promise<void>;
  /** The same person, of whom these headers come. */
  sending(headers: Record<string, string>): Visitor;
}

/** What differs from the usual accounts, which may need the store and the clock. */
type SiteChange = Partial<AccountSite> | ((store: KeyStore, clock: () => number) => Partial<AccountSite>);

/** The snapshot of a file of tests, and the site of each test. */
export interface AccountTests {
  readonly snapshot: Snapshot;
  account: AccountScene;
  /** Another site over a store of its own. Each is closed after its test. */
  open(change?: SiteChange, more?: Partial<SiteDependencies>): Promise<AccountScene>;
}

/** `create` makes the site of each test. Call this outside of tests. */
export function useAccountScene(create = (tests: AccountTests): Promise<AccountScene> => tests.open()): AccountTests {
  const folders = createTemporaryFolders();
  let opened: AccountScene[] = [];
  const tests = {
    async open(change, more) {
      const scene = await createAccountScene(tests.snapshot, folders.make(), change, more);
      opened.push(scene);
      return scene;
    },
  } as AccountTests;
  beforeAll(async () => {
    Object.assign(tests, { snapshot: await openFixture(HAND_MADE_ROWS) });
  });
  beforeEach(async () => {
    tests.account = await create(tests);
  });
  afterEach(async () => {
    for (const scene of opened) await scene.close();
    opened = [];
  });
  afterAll(() => folders.clear());
  return tests;
}

export async function createAccountScene(
  snapshot: Snapshot,
  /** The folder of an embedded store, or what opens another one. */
  place: string | (() => Promise<KeyStore>),
  change: SiteChange = {},
  more: Partial<SiteDependencies> = {},
): Promise<AccountScene> {
  // The store asks for the time while the scene is being made.
  const time = { aheadMs: 0 };
  const clock = (): number => Date.now() + time.aheadMs;
  const findPlan = createPlanFinder(DEFAULT_PLANS);
  const store =
    typeof place === 'string'
      ? await openEmbeddedKeyStore({ folder: place, findPlan, clock, logger: silentLogger })
      : await place();
  const mails: Mail[] = [];
  const account: AccountSite = {
    accounts: new DeveloperActions(store, RULES, clock),
    planOf: createPlanFinder(DEFAULT_PLANS),
    mailer: {
      async send(mail) {
        if (scene.mailTrouble !== undefined) throw scene.mailTrouble;
        mails.push(mail);
      },
      async close() {},
    },
    provider: undefined,
    cookies: new Cookies(true),
    limits: createAccountLimits(),
    waitLimits: waitLimitsOf(250),
    clock,
    ...(typeof change === 'function' ? change(store, clock) : change),
  };
  const site = createSite(snapshot, { account, ...more });
  const scene: AccountScene = {
    site,
    store,
    mails,
    get aheadMs() {
      return time.aheadMs;
    },
    set aheadMs(ms) {
      time.aheadMs = ms;
    },
    mailTrouble: undefined,
    browser: (headers = SAME_ORIGIN) => createVisitor(scene, headers),
    async close() {
      await site.close();
      await store.close();
    },
  };
  return scene;
}

function createVisitor(
  scene: AccountScene,
  headers: Record<string, string>,
  cookies = new Map<string, string>(),
): Visitor {
  const { site, mails } = scene;
  const cookieHeader = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const keep = (response: Response): Response => {
    for (const line of (response.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (line.includes('Max-Age=0')) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
  const visitor: Visitor = {
    cookies,
    get: async (path) => keep(await request(site.app).get(path).set('cookie', cookieHeader()).set(headers)),
    post: async (path, fields = {}) =>
      keep(await request(site.app).post(path).set('cookie', cookieHeader()).set(headers).type('form').send(fields)),
    async signIn(email) {
      await visitor.post('/account/sign-in', { email });
      await visitor.post('/account/code', { code: codeIn(mails.at(-1)) });
    },
    sending: (others) => createVisitor(scene, others, cookies),
  };
  return visitor;
}

export function codeIn(mail: Mail | undefined): string {
  const code = /^ {4}([\dA-Z]{4}-[\dA-Z]{4})$/m.exec(mail?.text ?? '')?.[1];
  if (code === undefined) throw new Error(`no code was sent: ${mail?.subject}`);
  return code;
}

/** The path of the link in a mail. */
export function linkIn(mail: Mail | undefined): string {
  const path = new RegExp(`${SITE_URL}(/account/link\\S+)`).exec(mail?.text ?? '')?.[1];
  if (path === undefined) throw new Error(`no link was sent: ${mail?.subject}`);
  return path;
}
