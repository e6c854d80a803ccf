/** Calls as the reference shows them: values of every kind in three languages. The clients' tests run the real ones. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listCallExamples } from '../../src/site/docs/example-calls.js';
import type { Operation, Parameter } from '../../src/site/docs/reference.js';

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
