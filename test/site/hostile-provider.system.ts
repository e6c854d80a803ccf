/** A provider that answers without end, too late, or with far too many words: a sign-in ends in time and holds little of it. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, jest, test } from '@jest/globals';
import { Provider } from '../../src/site/account/provider-sign-in.js';
import { waitUntil } from '../fixtures/wait-until.js';
import type { AccountScene, Visitor } from './account-scene.js';
import { CALLBACK, CLIENT, hiddenFieldsOf, useProviderScene } from './oidc-provider-scene.js';

const ENDPOINTS = ['/.well-known/openid-configuration', '/token', '/jwks', '/me'];
/** What follows an answer in JSON changes nothing of it. */
const SPACES = ' '.repeat(2_000_000);

const scene = useProviderScene(() => createScene());

function createScene(): Promise<AccountScene> {
  const options = { ...CLIENT, issuer: scene.oidc.issuer };
  return scene.open(({ records }, clock) => ({
    mailer: undefined,
    provider: new Provider('Example Account', options, records, clock),
  }));
}

/** Signs in as far as it goes, and gives the last answer. */
async function signIn(browser: Visitor) {
  const left = await browser.post('/account/provider');
  const [, url] = /^0; url=(.*)$/.exec(left.headers.refresh ?? '') ?? [];
  if (url === undefined) return left;
  const { pathname, search } = await scene.oidc.visit(url);
  const { text } = await browser.get(pathname + search);
  return await browser.post(CALLBACK, hiddenFieldsOf(text));
}

const problems = () => scene.account.site.logger.lines.map(({ fields }) => (fields as { problem?: string }).problem);

test.each(ENDPOINTS.flatMap((path) => [false, true].map((isPacked) => [path, isPacked] as const)))(
  'an answer of %s that is too long is not read to its end, also where it is packed: %s',
  async (path, isPacked) => {
    scene.oidc.answerInstead.set(path, (body, response) => {
      if (isPacked) response.setHeader('content-encoding', 'gzip');
      response.end(isPacked ? gzipSync(body + SPACES) : body + SPACES);
    });
    const refused = await signIn(scene.account.browser());
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
    expect(problems()).toEqual([expect.stringContaining('its answer is longer than 1000000 bytes')]);
    expect(await scene.account.store.records.list('account')).toEqual([]);
    scene.oidc.answerInstead.clear();
    expect((await signIn(scene.account.browser())).status).toBe(303);
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
  expect((await signIn(scene.account.browser())).status).toBe(503);
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
  expect((await signIn(scene.account.browser())).status).toBe(503);
  expect(problems()).toEqual([expect.stringContaining('timeout')]);
  hurry.mockRestore();
});

test('what it says is cut before it is logged', async () => {
  scene.oidc.answerInstead.set('/token', (_, response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: 'e'.repeat(100_000), error_description: 'd'.repeat(100_000) }));
  });
  expect((await signIn(scene.account.browser())).status).toBe(503);
  expect(JSON.stringify(scene.account.site.logger.lines).length).toBeLessThan(1_000);
});
