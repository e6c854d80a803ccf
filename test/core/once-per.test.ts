/** oncePer computes once for each object, whatever the result. */

import { expect, test } from '@jest/globals';
import { oncePer } from '../../src/base/once-per.js';

test.each([[undefined], [0], ['text']])('%s is computed once for each object', (value) => {
  const computed: object[] = [];
  const find = oncePer((source: object) => {
    computed.push(source);
    return value;
  });
  const [first, second] = [{}, {}];
  expect([find(first), find(second), find(first), find(second)]).toEqual([value, value, value, value]);
  expect(computed).toEqual([first, second]);
});

test('what could not be computed is tried again', () => {
  let isBroken = true;
  const find = oncePer(() => {
    if (isBroken) throw new Error('broken');
    return 1;
  });
  const source = {};
  expect(() => find(source)).toThrow('broken');
  isBroken = false;
  expect(find(source)).toBe(1);
});
