/** The TypeScript client and the table of hostile answers: each is a PostalPlacesError, within the time and the size. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostalPlaces, PostalPlacesError } from '../../clients/typescript/src/index.js';
import { hostileAnswers } from './hostile-answers.js';
import { expectedOutcome, type HostileServer, startHostileServer } from './hostile-server.js';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server?.close());

test.each(Object.entries(hostileAnswers))('%s', async (name, { question, timeoutMs, maxRetries = 2 }) => {
  const baseUrl = `${server.origin}/${encodeURIComponent(name)}`;
  const client = new PostalPlaces({ baseUrl, apiKey: 'k', maxRetries, ...(timeoutMs !== undefined && { timeoutMs }) });
  const ask = question === 'pages' ? client.iteratePlaces({ country: 'LI' }).next() : client.listCountries();
  const error = (await ask.then(
    () => 'data',
    (thrown: unknown) => thrown,
  )) as PostalPlacesError;
  expect(error).toBeInstanceOf(PostalPlacesError);
  const { code, status = null, retryAfterSeconds = null } = error;
  expect({ code, status, retryAfterSeconds }).toEqual(expectedOutcome(name, 'typescript'));
});

test('no answer was read far beyond the limit, asked for too often, or led elsewhere', async () => {
  expect(await server.faults()).toEqual([]);
});

test('a good answer of the same server is data', async () => {
  const client = new PostalPlaces({ baseUrl: `${server.origin}/good`, apiKey: 'k' });
  expect(await client.listCountries()).toEqual(['good']);
});
