/** A provider that answers without end, too late, or with far too many words: a sign-in ends in time and holds little of it. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Provider } from '../../src/site/account/provider.js';
import type { Snapshot } from '../../src/store/snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import { type AccountScene, createAccountScene, type Visitor } from './account-scene.js';
import { CLIENT, createOidcProvider, type OidcProviderScene } from './oidc-provider-scene.js';
import { decodeEntities, openFixture, SITE_URL } from './site-scene.js';

const CALLBACK = '/account/provider/callback';
const ENDPOINTS = ['/.well-known/openid-configuration', '/token', '/jwks', '/me'];
/** What follows an answer in JSON changes nothing of it. */
const SPACES = ' '.repeat(2_000_000);

const folders = createTemporaryFolders();
let snapshot: Snapshot;
let oidc: OidcProviderScene;
let scene: AccountScene;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
});
beforeEach(async () => {
  oidc = await createOidcProvider([SITE_URL + CALLBACK]);
  scene = await createScene();
});
afterEach(async () => {
  await scene.close();
  await oidc.stop();
});
afterAll(() => folders.clear());

function createScene(stepMs?: number): Promise<AccountScene> {
  const options = { ...CLIENT, issuer: oidc.issuer, ...(stepMs !== undefined && { stepMs }) };
  return createAccountScene(snapshot, folders.make(), ({ records }, clock) => ({
    mailer: undefined,
    provider: new Provider('Example Account', options, records, clock),
  }));
}

/** Signs in as far as it goes, and gives the last answer. */
async function signIn(browser: Visitor) {
  const left = await browser.post('/account/provider');
  const [, url] = /^0; url=(.*)$/.exec(left.headers.refresh ?? '') ?? [];
  if (url === undefined) return left;
  const { pathname, search } = await oidc.visit(url);
  const { text } = await browser.get(pathname + search);
  const inputs = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const answer = Object.fromEntries(inputs.map(([, name, value]) => [name, decodeEntities(value as string)]));
  return await browser.post(CALLBACK, answer);
}

const problems = () => scene.site.logger.lines.map(({ fields }) => (fields as { problem?: string }).problem);

test.each(ENDPOINTS)('an answer of %s that is too long is not read to its end', async (path) => {
  oidc.answerInstead.set(path, (body, response) => response.end(body + SPACES));
  const refused = await signIn(scene.browser());
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
  expect(problems()).toEqual([expect.stringContaining('its answer is longer than 1000000 bytes')]);
  expect(await scene.store.records.list('account')).toEqual([]);
  oidc.answerInstead.clear();
  expect((await signIn(scene.browser())).status).toBe(303);
});

test.each(ENDPOINTS)('nor one of %s that is short until it is unpacked', async (path) => {
  oidc.answerInstead.set(path, (body, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(body + SPACES));
  });
  expect((await signIn(scene.browser())).status).toBe(503);
  expect(problems()).toEqual([expect.stringContaining('its answer is longer')]);
});

test('an answer without end is cut off', async () => {
  let isCut = false;
  let chunkCount = 0;
  const goOn = (response: ServerResponse): void => {
    // 80 MB, so that a program which reads all of it does not take the machine's memory.
    while (chunkCount++ < 40) if (!response.write(SPACES)) return void response.once('drain', () => goOn(response));
    response.end();
  };
  oidc.answerInstead.set('/.well-known/openid-configuration', (body, response) => {
    response.once('close', () => {
      isCut = !response.writableFinished;
    });
    response.write(body);
    goOn(response);
  });
  expect((await signIn(scene.browser())).status).toBe(503);
  await waitUntil('the connection to be closed', () => isCut);
  // One to be refused, and what lies in buffers on the way.
  expect(chunkCount).toBeLessThan(20);
});

test('all requests of a step have one deadline', async () => {
  await scene.close();
  scene = await createScene(600);
  for (const path of ['/token', '/jwks', '/me']) {
    oidc.answerInstead.set(path, (body, response) => setTimeout(() => response.end(body), 250));
  }
  expect((await signIn(scene.browser())).status).toBe(503);
  expect(problems()).toEqual([expect.stringContaining('timeout')]);
});

test('what it says is cut before it is logged', async () => {
  oidc.answerInstead.set('/token', (_, response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: 'e'.repeat(100_000), error_description: 'd'.repeat(100_000) }));
  });
  expect((await signIn(scene.browser())).status).toBe(503);
  expect(JSON.stringify(scene.site.logger.lines).length).toBeLessThan(1_000);
});
