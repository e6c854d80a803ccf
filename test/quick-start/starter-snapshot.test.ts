/** The starter snapshot of `npm start`, compiled by the built builder: it opens, and has its places. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openSnapshot } from '../../src/store/snapshot.js';
import { buildStarterSnapshot, type StarterSnapshot } from '../fixtures/starter-snapshot.js';

let starter: StarterSnapshot;
beforeEach(async () => {
  starter = await buildStarterSnapshot();
});
afterEach(() => starter.cleanup());

test('it is compiled into a folder that is not there yet', () => {
  const { release, countries } = openSnapshot(starter.path);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe('starter');
  expect(codes).toEqual(expect.arrayContaining(['CA', 'LI', 'US']));
});
