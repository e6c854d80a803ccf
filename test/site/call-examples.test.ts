/** Calls as the reference shows them: values of every kind in three languages. The clients' tests run the real ones. */
import { describe, expect, test } from '@jest/globals';
import { listCallExamples } from '../../src/site/docs/call-examples.js';
import type { Operation, Parameter } from '../../src/site/docs/reference.js';

function operationOf(parameters: readonly Parameter[], isKeyed = true): Operation {
  const path = '/v1/things/{thingId}';
  const texts = { id: 'findThing', method: 'GET', path, summary: '', description: '' };
  return { ...texts, isKeyed, parameters, responses: [], shared: [] };
}

function parameter(name: string, place: string, example: Parameter['example'], isRequired = false): Parameter {
  return { name, place, isRequired, shape: '', description: '', example };
}

const thingId = parameter('thingId', 'path', `a/b "c" 'd' é`, true);
const flags = [
  parameter('isWhole', 'query', true),
  parameter('path', 'query', '/x/y z'),
  parameter('unknown', 'query', undefined),
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
    const examples = listCallExamples(operationOf([thingId], false), 'https://api.test');
    expect(examples).toEqual([
      { language: 'curl', code: `curl 'https://api.test/v1/things/a%2Fb%20%22c%22%20%27d%27%20%C3%A9'` },
    ]);
  });

  test('is not there where a value that the call needs is not known', () => {
    expect(listCallExamples(operationOf([{ ...thingId, example: undefined }]), 'https://api.test')).toEqual([]);
  });
});
