/**
 * Examples of the reference: the description's own calls where the snapshot has them, else others that it has; and calls as
 * the reference shows them: values of every kind in three languages. The clients' tests run the real ones.
 */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import type { Operation, Parameter } from '../../src/site/docs/api-reference.js';
import { listCallExamples } from '../../src/site/docs/calls-in-languages.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { type ExampleCall, exampleCall } from '../../src/site/docs/example-answers.js';
import { exampleDataOf } from '../api/described-answers.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { KNOWN_CHANGES } from '../fixtures/known-changes.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

const operations = readDocs().reference.operations.filter(({ isKeyed, body }) => isKeyed && body === undefined);

function operationWith(id: string): Operation {
  return operations.find((operation) => operation.id === id) as Operation;
}

function describedValues({ parameters }: Operation): ExampleCall['values'] {
  return Object.fromEntries(
    parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
}

test('of the starter dataset they are those of the description', async () => {
  const starter = openSnapshot(await sharedStarterSnapshot());
  // Of the starter dataset no list of changes is served.
  expect(exampleCall(starter, operationWith('listChanges'))).toMatchObject({ values: {}, data: undefined });
  for (const operation of operations.filter(({ id }) => id !== 'listChanges')) {
    const { values, data } = exampleCall(starter, operation);
    expect({ id: operation.id, values }).toEqual({ id: operation.id, values: describedValues(operation) });
    // The description has the addresses of another site.
    expect(JSON.stringify(data).length).toBeGreaterThan(50);
    expect(withoutUrls(data)).toEqual(withoutUrls(exampleDataOf(operation.id)));
  }
});

function withoutUrls(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data, (name, value) => (name === 'url' ? '' : value)));
}

describe('where the snapshot has none of the starter places', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const opened = await openFixture({
      // A country whose places are in no unit, and one with units.
      GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]],
      LI: [
        ['9490', 'Vaduz', 'Oberland', 'OL', '', 47.14, 9.52],
        ['9491', 'Ruggell', 'Unterland', 'UL', '', 47.24, 9.52],
      ],
    });
    snapshot = { ...opened, changes: KNOWN_CHANGES };
  });

  test('each call finds something, with the same parameters', () => {
    for (const operation of operations) {
      const { values, data } = exampleCall(snapshot, operation);
      expect({ id: operation.id, names: Object.keys(values) }).toEqual({
        id: operation.id,
        names: Object.keys(describedValues(operation)),
      });
      expect({ id: operation.id, country: values.country ?? 'GI' }).toMatchObject({
        country: expect.stringMatching(/^(?:DE|GI|LI)$/),
      });
      const text = JSON.stringify(data);
      expect({ id: operation.id, text }).not.toMatchObject({
        text: expect.stringMatching(/^\[\]$|"items":\[\]|"none"/),
      });
    }
  });

  test('code, name, position and id are those of one place', () => {
    expect(exampleCall(snapshot, operationWith('findPostcode'))).toMatchObject({
      values: { country: 'GI', postcode: 'GX11 1AA' },
      data: { countryCode: 'GI', places: [{ name: 'Gibraltar' }] },
    });
    expect(exampleCall(snapshot, operationWith('autocomplete'))).toMatchObject({
      values: { q: 'Gibraltar', country: 'GI' },
      data: [{ name: 'Gibraltar' }],
    });
    expect(exampleCall(snapshot, operationWith('reverse'))).toMatchObject({
      values: { lat: 36.14, lng: -5.35, country: 'GI' },
      data: { distanceKm: 0 },
    });
  });

  test('a distance is that between the first and the last code of the country that has two', async () => {
    const two = await openFixture({
      LI: [
        ['9490', 'Vaduz', 'Oberland', 'OL', '', 47.14, 9.52],
        ['9491', 'Ruggell', 'Unterland', 'UL', '', 47.24, 9.52],
      ],
    });
    const { values, data } = exampleCall(two, operationWith('distance'));
    expect([values.from, values.to]).toEqual(['LI:9490', 'LI:9491']);
    expect(data).toMatchObject({ distanceKm: expect.closeTo(11.12, 1) });
  });

  test('children are those of a unit, in the first country that has one', () => {
    expect(exampleCall(snapshot, operationWith('listChildren'))).toMatchObject({
      values: { country: 'LI' },
      data: { items: [{ name: 'Vaduz' }] },
    });
  });
});

test('an empty page is no example', async () => {
  const flat = await openFixture({ GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]] });
  expect(exampleCall(flat, operationWith('listChildren'))).toMatchObject({ values: {}, data: undefined });
  const countries = flat.countries.map((country) => ({ ...country, structures: undefined }));
  const empty: Snapshot = { ...flat, countries, countryByCode: new Map(countries.map((one) => [one.entry.code, one])) };
  expect(exampleCall(empty, operationWith('findPostcode')).data).toBeUndefined();
  expect(exampleCall(empty, operationWith('getCountry')).data).toMatchObject({ code: 'DE' });
});

test('the release is that of the snapshot', async () => {
  const snapshot = await openFixture({ GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]] });
  const release = readDocs().reference.operations.find(({ id }) => id === 'getRelease') as Operation;
  expect(exampleCall(snapshot, release).data).toMatchObject({ name: snapshot.release, countries: [{ code: 'GI' }] });
});

function operationOf(parameters: readonly Parameter[], isKeyed = true): Operation {
  const path = '/v1/things/{thingId}';
  const texts = { id: 'findThing', method: 'GET', path, summary: '', description: '' };
  return { ...texts, isKeyed, parameters, body: undefined, responses: [], shared: [], exampleData: undefined };
}

function parameter(name: string, place: Parameter['place'], isRequired = false): Parameter {
  return { name, place, isRequired, schema: {}, description: '', example: undefined };
}

const thingId = parameter('thingId', 'path', true);
const flags = [parameter('isWhole', 'query'), parameter('path', 'query'), parameter('unknown', 'query')];
const values = { thingId: `a/b "c" 'd' é`, isWhole: true, path: '/x/y z' };
const example = { values, body: undefined };

describe('an example', () => {
  test('has every value that is given, as the language writes it', () => {
    const examples = listCallExamples(operationOf([thingId, ...flags]), example, 'https://api.test');
    expect(examples.map(({ code }) => code.split('\n').at(-1))).toEqual([
      `curl -H 'x-api-key: YOUR_KEY' 'https://api.test/v1/things/a%2Fb%20%22c%22%20%27d%27%20%C3%A9?isWhole=true&path=/x/y%20z'`,
      `console.log(await places.findThing({ thingId: 'a/b "c" \\'d\\' é', isWhole: true, path: '/x/y z' }));`,
      `print(places.find_thing("a/b \\"c\\" 'd' é", is_whole=True, path="/x/y z"))`,
    ]);
  });

  test('of a call without a key is for curl alone, and shows none', () => {
    const examples = listCallExamples(operationOf([thingId], false), example, 'https://api.test');
    expect(examples).toEqual([
      { language: 'curl', code: `curl 'https://api.test/v1/things/a%2Fb%20%22c%22%20%27d%27%20%C3%A9'` },
    ]);
  });

  test('is not there where a value or a body that the call needs is not known', () => {
    const operation = operationOf([thingId]);
    expect(listCallExamples(operation, { ...example, values: {} }, 'https://api.test')).toEqual([]);
    const body = { schema: {}, fields: [], example: undefined };
    expect(listCallExamples({ ...operation, body }, example, 'https://api.test')).toEqual([]);
  });
});

describe('an example with a body', () => {
  const run = promisify(execFile);
  const body = { asked: [`it's "a" \\ b\n`, null, true, 1.5, {}, []], more: { x: 'é' } };
  let server: Server;
  let url: string;
  const received: unknown[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { method, headers, url: path } = request;
      const key = headers['x-api-key'];
      received.push({ method, path, key, type: headers['content-type'], body: await json(request) });
      response.end('{"data":"done"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test.each([
    ['curl', 'sh', ['-c'], '{"data":"done"}'],
    ['JavaScript', process.execPath, ['--input-type=module', '-e'], 'done'],
    ['Python', 'python3', ['-c'], 'done'],
  ] as const)('runs in %s, and sends the body as it is', async (language, command, args, output) => {
    const operation: Operation = {
      ...operationOf([thingId]),
      method: 'POST',
      body: { schema: {}, fields: [], example: body },
    };
    const examples = listCallExamples(operation, { values: { thingId: 'one' }, body }, url);
    const { code = '' } = examples.find((one) => one.language === language) ?? {};
    const { stdout } = await run(command, [...args, language === 'curl' ? `${code} -s` : code]);
    expect(stdout.trim()).toBe(output);
    const key = 'YOUR_KEY';
    expect(received.splice(0)).toEqual([
      { method: 'POST', path: '/v1/things/one', key, type: 'application/json', body },
    ]);
  });
});
