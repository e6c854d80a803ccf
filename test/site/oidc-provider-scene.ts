/** A real OpenID Connect provider on loopback that signs in whom a test names, without a page, and signs what a test alters. */

import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from '@jest/globals';
import type { Adapter, AdapterPayload, Configuration } from 'oidc-provider';
import Provider from 'oidc-provider';
import { type AccountScene, type AccountTests, useAccountScene } from './account-scene.js';
import { decodeEntities, SITE_URL } from './site-scene.js';

export const CLIENT = { clientId: 'postal-places', clientSecret: 'a secret: of the client' };

/** Who is signed in at the provider. */
export interface Person {
  email?: string;
  email_verified?: unknown;
  /** How long ago the person typed the password; 0 where the provider asks for it again. */
  secondsAgo: number;
}

export interface OidcProviderScene {
  readonly issuer: string;
  person: Person;
  /** What becomes of the claims of an ID token before it is signed, by the provider's key or another. */
  tamper: ((claims: Record<string, unknown>) => { claims: Record<string, unknown>; key?: KeyObject }) | undefined;
  /** What answers at a path in the place of the provider, which has made the body already; its status and headers are set. */
  readonly answerInstead: Map<string, (body: string, response: ServerResponse) => void>;
  /** Paths that were asked for, without queries. */
  readonly asked: string[];
  /** Follows the provider's redirects from the address of a sign-in to the site's, which it gives. */
  visit(url: string): Promise<URL>;
  /** Ends listening, as a provider that is down; `listen` goes on at the same address. */
  stop(): Promise<void>;
  listen(): Promise<void>;
}

const createKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const KEY = createKey();
export const OTHER_KEY = createKey();

export async function createOidcProvider(
  callbackUrls: string[],
  more: (issuer: string) => Configuration = () => ({}),
): Promise<OidcProviderScene> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  let server = await listenOn(0, (...args) => handle(...args));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = createProvider(issuer, callbackUrls, () => scene, more(issuer));
  const answer = provider.callback();
  const scene: OidcProviderScene = {
    issuer,
    person: { email: 'ada@example.org', email_verified: true, secondsAgo: 0 },
    tamper: undefined,
    answerInstead: new Map(),
    asked: [],
    visit,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async listen() {
      server = await listenOn(port, (...args) => handle(...args));
    },
  };
  handle = (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    scene.asked.push(path);
    // The same server by another name is another origin: somewhere that the provider sends people to.
    if (request.headers.host === `localhost:${port}`) response.writeHead(302, { location: issuer + path }).end();
    else if (path.startsWith('/interaction/')) void signIn(provider, scene.person, request, response);
    else void answer(request, response);
  };
  return scene;
}

async function listenOn(port: number, handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(handle).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function createProvider(
  issuer: string,
  callbackUrls: string[],
  scene: () => OidcProviderScene,
  more: Configuration,
): Provider {
  const provider = new Provider(issuer, {
    adapter: createAdapter(),
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: callbackUrls }],
    jwks: { keys: [{ ...KEY.export({ format: 'jwk' }), use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key of cookies'] },
    features: { devInteractions: { enabled: false } },
    claims: { email: ['email', 'email_verified'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({
      accountId,
      claims: async () => {
        const { email, email_verified } = scene().person;
        return { sub: accountId, email, email_verified };
      },
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: CLIENT.clientId, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    ...more,
  });
  provider.use(async (context, next) => {
    await next();
    const instead = scene().answerInstead.get(context.path);
    if (instead === undefined) return;
    const text = typeof context.body === 'string' ? context.body : JSON.stringify(context.body);
    context.respond = false;
    context.res.statusCode = 200;
    context.res.setHeader('content-type', 'application/json');
    instead(text, context.res);
  });
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    const { tamper } = scene();
    if (context.path !== '/token' || body?.id_token === undefined || tamper === undefined) return;
    const [head = '', content = ''] = body.id_token.split('.');
    const altered = tamper(JSON.parse(Buffer.from(content, 'base64url').toString()));
    const signed = `${head}.${Buffer.from(JSON.stringify(altered.claims)).toString('base64url')}`;
    const signature = createSign('sha256')
      .update(signed)
      .sign(altered.key ?? KEY, 'base64url');
    context.body = { ...body, id_token: `${signed}.${signature}` };
  });
  return provider;
}

async function signIn(
  provider: Provider,
  { secondsAgo }: Person,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  const ts = Math.floor(Date.now() / 1000) - (params.prompt === 'login' ? 0 : secondsAgo);
  if (prompt.name !== 'login') throw new Error(`the provider asks for ${prompt.name}`);
  await provider.interactionFinished(request, response, { login: { accountId: 'person-1', ts } });
}

async function visit(start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const origin = new URL(start).origin;
  for (let url = new URL(start); ; ) {
    if (url.origin !== origin) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie, connection: 'close' } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
}

/** Keeps what the provider has to remember, for one provider alone. */
function createAdapter(): (model: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  return (model) => {
    const keyOf = (id: string): string => `${model}:${id}`;
    const findBy = (fits: (payload: AdapterPayload) => boolean) =>
      [...kept].find(([key, payload]) => key.startsWith(`${model}:`) && fits(payload))?.[1];
    return {
      async upsert(id, payload) {
        kept.set(keyOf(id), payload);
      },
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: async (code) => findBy((payload) => payload.userCode === code),
      async consume(id) {
        const payload = kept.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        kept.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
}

export const CALLBACK = '/account/provider/callback';

/** A test may replace `oidc` after it has stopped it. */
export interface ProviderTests extends AccountTests {
  oidc: OidcProviderScene;
}

/** `create` makes the site of each test once the provider listens. Call this outside of tests. */
export function useProviderScene(create: () => Promise<AccountScene>): ProviderTests {
  beforeEach(async () => {
    tests.oidc = await createOidcProvider([SITE_URL + CALLBACK]);
  });
  // A test may have stopped it already.
  afterEach(() => tests.oidc.stop().catch(() => {}));
  const tests = useAccountScene(create) as ProviderTests;
  return tests;
}

/** What the form of the page sends. */
export function hiddenFieldsOf(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(inputs.map(([, name, value]) => [name as string, decodeEntities(value as string)]));
}
