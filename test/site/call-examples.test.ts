/** Calls as the reference shows them: values of every kind in three languages. The clients' tests run the real ones. */
import { describe, expect, test } from '@jest/globals';
import { listCallExamples } from '../../src/site/docs/call-examples.js';
import { type Operation, readReference } from '../../src/site/docs/reference.js';

function operationOf(parameters: readonly object[], more: object = {}): Operation {
  const get = { operationId: 'findThing', parameters, responses: {}, ...more };
  const document = { openapi: '3.1.0', security: [{ key: [] }], paths: { '/v1/things/{thingId}': { get } } };
  return readReference('openapi.json', JSON.stringify(document)).operations[0] as Operation;
}

const thingId = { name: 'thingId', in: 'path', required: true, example: `a/b "c" 'd' é` };
const flags = [
  { name: 'isWhole', in: 'query', example: true },
  { name: 'path', in: 'query', example: '/x/y z' },
  { name: 'unknown', in: 'query' },
];

describe('an example', () => {
  test('has every value that the description gives, as the language writes it', () => {
    const examples = listCallExamples(operationOf([thingId, ...flags]), 'https://api.test');
    expect(examples.map(({ code }) => code.split('\n').at(-1))).toEqual([
      `curl -H 'x-api-key: YOUR_KEY' 'https://api.test/v1/things/a%2Fb%20%22c%22%20%27d%27%20%C3%A9?isWhole=true&path=/x/y%20z'`,
      `console.log(await places.findThing({ thingId: 'a/b "c" \\'d\\' é', isWhole: true, path: '/x/y z' }));`,
      `print(places.find_thing("a/b \\"c\\" 'd' é", is_whole=True, path="/x/y z"))`,
    ]);
  });

  test('of a call without a key is for curl alone, and shows none', () => {
    const examples = listCallExamples(operationOf([thingId], { security: [] }), 'https://api.test');
    expect(examples).toEqual([
      { language: 'curl', code: `curl 'https://api.test/v1/things/a%2Fb%20%22c%22%20%27d%27%20%C3%A9'` },
    ]);
  });

  test('is not there where a value that the call needs is not known', () => {
    expect(listCallExamples(operationOf([{ ...thingId, example: undefined }]), 'https://api.test')).toEqual([]);
  });
});
