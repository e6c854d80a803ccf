/** Work in steps, and work that is done once. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { runCooperatively, runSync, type Steps } from '../../src/base/cooperative.js';
import { oncePer } from '../../src/base/once-per.js';

/** Work in steps has the same result synchronously and cooperatively; cooperatively, other work runs between its steps. */
describe('steps', () => {
  /** The duration of a step in milliseconds: longer than cooperative work runs without a pause. */
  const STEP_MS = 2;

  function* work(steps: string[], count: number, fails = false): Steps<string> {
    for (let step = 1; step <= count; step++) {
      const endMs = performance.now() + STEP_MS;
      while (performance.now() < endMs);
      steps.push(`step ${step}`);
      yield;
    }
    if (fails) throw new RangeError('the last step failed');
    return 'done';
  }

  test('the result is that of the last step', async () => {
    expect(runSync(work([], 2))).toBe('done');
    expect(await runCooperatively(work([], 2))).toBe('done');
    expect(await runCooperatively(work([], 0))).toBe('done');
  });

  test('the error of a step is thrown', async () => {
    expect(() => runSync(work([], 1, true))).toThrow(RangeError);
    await expect(runCooperatively(work([], 1, true))).rejects.toThrow(RangeError);
  });

  test('other work runs between long steps', async () => {
    const events: string[] = [];
    await Promise.all([
      runCooperatively(work(events, 3)),
      (async () => {
        await nextTurn();
        events.push('other');
      })(),
    ]);
    // The order of two immediates in one iteration of the event loop is not defined.
    expect(events.indexOf('other')).toBeLessThan(events.indexOf('step 3'));
    expect(events.toSorted()).toEqual(['other', 'step 1', 'step 2', 'step 3']);
  });
});

/** oncePer computes once for each object, whatever the result. */
describe('oncePer', () => {
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
});
