/**
 * The TypeScript client on the real server: every operation, pages, errors, retries and cancellation; and on the table of
 * hostile answers: each is a PostalPlacesError, within the time and the size.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClientOptions, PostalPlaces, PostalPlacesError } from '../../clients/typescript/src/index.js';
import { exampleDataOf, operations } from '../api/described-answers.js';
import { type ClientScene, createClientScene } from './client-scene.js';
import { expectedOutcome, type HostileServer, hostileAnswers, startHostileServer } from './hostile-server.js';

interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Never answered where it is so. */
  readonly isSilent?: boolean;
}

interface ScriptedServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** The last of the answers is given again and again. */
async function startScriptedServer(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] as ScriptedAnswer;
    requests.push(request);
    if (answer.isSilent) return;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body ?? '');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An error of the service. */
function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): ScriptedAnswer {
  const body = { statusCode: status, error: { message: 'no', code }, metadata: { correlationId: 'c1' } };
  return { status, headers, body: JSON.stringify(body) };
}

const SUCCESS: ScriptedAnswer = {
  status: 200,
  body: JSON.stringify({ statusCode: 200, data: [], metadata: { correlationId: 'c2' } }),
};

test('lists of words have the types of their words, and are sent as one value', async () => {
  const server = await startScriptedServer(SUCCESS);
  const client = new PostalPlaces({ baseUrl: server.url, apiKey: 'k' });
  await client.autocomplete({ q: 'ber', kinds: ['place', 'postcode'], types: 'locality', include: ['place'] });
  await client.nearby({ lat: 1, lng: 1, types: ['locality', 'recipient'], include: ['city', 'codes'], by: 'place' });
  // @ts-expect-error: there is no such kind.
  await client.autocomplete({ q: 'ber', kinds: 'foo' });
  // @ts-expect-error: nor in a list.
  await client.autocomplete({ q: 'ber', types: ['locality', 'foo'] });
  // @ts-expect-error: there is no such field.
  await client.getPlace({ country: 'DE', id: 'a', include: 'foo' });
  // @ts-expect-error: there is no such change.
  await client.listChanges({ since: 'a', change: ['foo'] });
  // @ts-expect-error: there is no such entry.
  await client.nearby({ lat: 1, lng: 1, by: 'foo' });
  expect(server.requests.slice(0, 3).map(({ url }) => url?.replaceAll('%2C', ','))).toEqual([
    '/v1/autocomplete?q=ber&include=place&kinds=place,postcode&types=locality',
    '/v1/nearby?lat=1&lng=1&types=locality,recipient&by=place&include=city,codes',
    '/v1/autocomplete?q=ber&kinds=foo',
  ]);
  await server.close();
});

let scene: ClientScene;
let client: PostalPlaces;
beforeAll(async () => {
  scene = await createClientScene();
  client = new PostalPlaces({ baseUrl: scene.url, apiKey: scene.key });
});
afterAll(() => scene?.stop());

type Method = (parameters: object) => Promise<unknown>;
const keyed = operations.filter(({ security }) => security.length > 0);

test.each(keyed)('$operationId gives the data of its example', async ({ operationId, parameters, requestBody }) => {
  const methods = client as unknown as Record<string, Method>;
  const body = requestBody?.content['application/json']?.example as object | undefined;
  const values = { ...Object.fromEntries(parameters.map(({ name, example }) => [name, example])), ...body };
  expect(await methods[operationId]?.call(client, values)).toEqual(exampleDataOf(operationId));
});

test('what is left out is left to the server', async () => {
  expect(await client.listCountries()).toHaveLength(250);
  expect(await client.listPlaces({ country: 'LI', level: undefined as never })).toMatchObject({ pageSize: 50 });
});

test('texts reach the server as they are', async () => {
  expect(await client.findPostcode({ country: 'LV', postcode: ' lv–1010 ' })).toMatchObject({ postcode: 'LV-1010' });
  expect((await client.autocomplete({ q: 'reykjavík', country: 'IS' }))[0]).toMatchObject({ name: 'Reykjavík' });
  await expect(client.findPostcode({ country: 'LI', postcode: '9490/../?#%&+' })).rejects.toMatchObject({
    code: 'POSTCODE_NOT_FOUND',
  });
});

test('numbers are sent without exponent', async () => {
  await expect(client.reverse({ lat: 1e-7, lng: -1.5e-10, country: 'LI' })).rejects.toMatchObject({
    code: 'NO_NEARBY_PLACE',
    message: 'There is no place within 80 km of 1e-7, -1.5e-10 in LI.',
  });
});

describe('a bulk request', () => {
  test('has an entry for each lookup, and values beside them', async () => {
    const lookups = [{ postcode: '9490' }, { postcode: 'ſ€😀' }, { q: 'vaduz', limit: 1 }, { lat: 1e-7, lng: 0 }];
    const entries = await client.bulk({ lookups, country: 'LI' });
    expect(entries.map(({ statusCode, error }) => [statusCode, error?.code])).toEqual([
      [200, undefined],
      [404, 'POSTCODE_NOT_FOUND'],
      [200, undefined],
      [404, 'NO_NEARBY_PLACE'],
    ]);
    expect(entries[0]?.data).toEqual(await client.findPostcode({ country: 'LI', postcode: '9490' }));
    expect(entries[2]?.data).toEqual(await client.autocomplete({ q: 'vaduz', limit: 1, country: 'LI' }));
  });

  test('rejects where it is refused as a whole, and is not tried again where that cannot help', async () => {
    await expect(client.bulk({ lookups: [] })).rejects.toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    const hasty = clientOf(scene.url, { apiKey: scene.hastyKey });
    const lookups = [{ country: 'LI', postcode: '9490' }];
    await expect(hasty.bulk({ lookups: [...lookups, ...lookups] })).rejects.toMatchObject({ status: 400 });
    await expect(hasty.bulk({ lookups }, { timeoutMs: Number.NaN })).rejects.toMatchObject(INVALID);
    const looped: Record<string, unknown> = { q: 'ber' };
    looped.self = looped;
    await expect(client.bulk({ lookups: [looped as never] })).rejects.toMatchObject(INVALID);
  });

  test('is tried again with the same body after 503 and SERVICE_RATE_LIMITED', async () => {
    const { url } = await script(
      refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
      refusal(429, 'SERVICE_RATE_LIMITED', { 'retry-after': '0' }),
      SUCCESS,
    );
    const bodies: unknown[] = [];
    const watched = clientOf(url, {
      fetch: (input, init) => {
        bodies.push([init?.method, init?.body]);
        return fetch(input, init);
      },
    });
    await watched.bulk({ lookups: [{ q: 'ber' }] });
    expect(bodies).toEqual(Array(3).fill(['POST', '{"lookups":[{"q":"ber"}]}']));
  });
});

describe('pages', () => {
  test('an iterator goes through all of them', async () => {
    const names: string[] = [];
    for await (const { id } of client.iteratePlaces({ country: 'FO', pageSize: 7 })) names.push(id);
    const { totalCount } = await client.listPlaces({ country: 'FO' });
    expect(totalCount).toBeGreaterThan(100);
    expect([names.length, new Set(names).size]).toEqual([totalCount, totalCount]);
  });

  test('it asks for a page when it is reached, and starts where it is told', async () => {
    const asked: string[] = [];
    const onResponse = ({ url }: Response): void => void asked.push(new URL(url).search);
    const watched = new PostalPlaces({ baseUrl: scene.url, apiKey: scene.key, onResponse });
    for await (const place of watched.iterateChildren({
      country: 'MC',
      id: '2115119e-6e15-5325-ad22-d6c862333156',
      page: 2,
      pageSize: 2,
    })) {
      expect(place.level).toBe(3);
      if (asked.length === 2) break;
    }
    expect(asked).toEqual(['?page=2&pageSize=2', '?page=3&pageSize=2']);
  });
});

const TOLD = { message: 'no', code: 'VALIDATION_FAILED' };
const FAULT = { message: expect.any(String), expected: expect.any(String) };

const INVALID = { code: 'INVALID_ARGUMENT', status: undefined };

describe('errors', () => {
  test.each<[string, () => Promise<unknown>, object]>([
    ['404', () => client.getCountry({ country: 'QQ' }), { status: 404, code: 'COUNTRY_NOT_FOUND', details: [] }],
    [
      '404 with a fault',
      () => client.getCountry({ country: 'UK' }),
      { code: 'COUNTRY_NOT_FOUND', details: [{ ...FAULT, param: 'country' }] },
    ],
    [
      '400, with every fault',
      () => client.autocomplete({ q: 'a', limit: 0 }),
      {
        ...{ status: 400, code: 'VALIDATION_FAILED' },
        details: [
          { ...FAULT, param: 'q' },
          {
            param: 'limit',
            message: 'limit must be an integer from 1 to 25; got "0"',
            expected: 'an integer from 1 to 25',
          },
        ],
      },
    ],
    ['401', () => clientOf(scene.url, { apiKey: 'x' }).listCountries(), { code: 'SERVICE_API_KEY_INVALID' }],
    [
      '429 for the rest of the month, which is not waited for',
      () => clientOf(scene.url, { apiKey: scene.spentKey }).listCountries(),
      { status: 429, code: 'SERVICE_QUOTA_EXCEEDED', retryAfterSeconds: expect.any(Number) },
    ],
  ])('%s', async (_, ask, properties) => {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PostalPlacesError);
    expect(error).toMatchObject({ ...properties, correlationId: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  test.each([
    ['a path that is none', { country: 'LI', id: '' }],
    ['a path of its own', { country: '..', id: '1' }],
    ['half of a surrogate pair', { country: 'LI', id: '\ud800' }],
  ])('%s is not sent', async (_, parameters) => {
    await expect(client.getPlace(parameters)).rejects.toMatchObject({ name: 'PostalPlacesError', ...INVALID });
  });

  test('nor is a number that is none', async () => {
    const message = 'lat must be a finite number, and not NaN';
    await expect(client.reverse({ lat: Number.NaN, lng: 0 })).rejects.toMatchObject({ ...INVALID, message });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a timeout that is none: %s', async (timeoutMs) => {
    await expect(client.listCountries({}, { timeoutMs })).rejects.toMatchObject(INVALID);
    expect(() => clientOf(scene.url, { timeoutMs })).toThrow(expect.objectContaining(INVALID));
  });

  test.each(['no address', 'ftp://a', 'http://a?b', 'http://a#b', 'http://u:secret@a', 'http://a:99999'])(
    'an address that is none: %s',
    (baseUrl) => {
      const message = expect.not.stringContaining('secret');
      expect(() => clientOf(baseUrl)).toThrow(expect.objectContaining({ ...INVALID, message }));
    },
  );

  test.each(['', 'two words', 'line\nbreak', '€'])('a key that is none: %j', (apiKey) => {
    expect(() => clientOf(scene.url, { apiKey })).toThrow(expect.objectContaining(INVALID));
  });
});

let scripted: ScriptedServer | undefined;
afterEach(async () => {
  await scripted?.close();
  scripted = undefined;
});

function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): PostalPlaces {
  return new PostalPlaces({ baseUrl, apiKey: 'k', ...options });
}

async function script(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
  scripted = await startScriptedServer(...answers);
  return scripted;
}

describe('what is tried again', () => {
  const unavailable = refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' });
  const limited = refusal(429, 'SERVICE_RATE_LIMITED', { 'retry-after': '0' });

  test.each([
    ['503', unavailable],
    ['SERVICE_RATE_LIMITED', limited],
    ['503 of a proxy', { status: 503, headers: { 'retry-after': '0' }, body: '<html>' }],
  ])('%s, until it is answered', async (_, answer) => {
    const { url, requests } = await script(answer, answer, SUCCESS);
    expect(await clientOf(url).listCountries()).toEqual([]);
    expect(requests).toHaveLength(3);
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['k', 'k', 'k']);
  });

  test('twice, unless told otherwise', async () => {
    const { url, requests } = await script(unavailable);
    await expect(clientOf(url).listCountries()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 });
    expect(requests).toHaveLength(3);
    await expect(clientOf(url, { maxRetries: 0 }).listCountries()).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(4);
  });

  test.each([
    ['the quota', refusal(429, 'SERVICE_QUOTA_EXCEEDED', { 'retry-after': '0' })],
    ['a defect', refusal(500, 'INTERNAL_ERROR')],
    ['a wait that is too long', refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '31' })],
  ])('nothing else: %s', async (_, answer) => {
    const { url, requests } = await script(answer);
    await expect(clientOf(url).listCountries()).rejects.toBeInstanceOf(PostalPlacesError);
    expect(requests).toHaveLength(1);
  });
});

describe('what is no answer of the service', () => {
  test('nor faults that are none: those that are one stay', async () => {
    const fault = { param: 'a', message: 'b', expected: 'c' };
    const details = [null, 1, 'a', [], {}, { ...fault, param: 1 }, { param: 'a', message: 'b' }, fault];
    for (const [told, kept] of [[details, [fault]], ...[5, 'a', null, { 0: fault }].map((other) => [other, []])]) {
      const { url } = await script({ status: 400, body: JSON.stringify({ error: { ...TOLD, details: told } }) });
      await expect(clientOf(url).listCountries()).rejects.toMatchObject({ ...TOLD, details: kept });
      await scripted?.close();
    }
  });

  test.each<[string, ScriptedAnswer]>([
    ['a success without data', { status: 200, body: '{}' }],
    ['a text', { status: 200, body: '"data"' }],
    ['nothing', { status: 204 }],
  ])('%s', async (_, answer) => {
    const { url } = await script(answer);
    await expect(clientOf(url).listCountries()).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: answer.status,
      correlationId: undefined,
    });
  });
});

describe('cancellation', () => {
  test('an AbortSignal ends a request', async () => {
    const { url } = await script({ status: 200, isSilent: true });
    const controller = new AbortController();
    const pending = clientOf(url).listCountries({}, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });

  test('it ends the wait for the next attempt', async () => {
    const controller = new AbortController();
    const { url, requests } = await script(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' }));
    const onResponse = (): void => void setTimeout(() => controller.abort(new Error('enough')), 20);
    const pending = clientOf(url, { onResponse }).listCountries({}, { signal: controller.signal });
    await expect(pending).rejects.toThrow('enough');
    expect(requests).toHaveLength(1);
  });

  test('what onResponse throws is thrown on', async () => {
    const { url } = await script(SUCCESS);
    const onResponse = (): void => {
      throw new Error('mine');
    };
    await expect(clientOf(url, { onResponse }).listCountries()).rejects.toThrow('mine');
  });
});

describe('a hostile server', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server?.close());

  test.each(Object.entries(hostileAnswers))('%s', async (name, { question, timeoutMs, maxRetries = 2 }) => {
    const baseUrl = `${server.origin}/${encodeURIComponent(name)}`;
    const client = new PostalPlaces({
      baseUrl,
      apiKey: 'k',
      maxRetries,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
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
});
