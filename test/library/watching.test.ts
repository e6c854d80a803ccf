/** A watched source: another snapshot is used by the same object, a bad one changes nothing, and a closed watch is over. */
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { OpenError, open, type Places } from '../../src/library/index.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';
import { waitUntil } from '../fixtures/wait-until.js';

let published: PublishedFolder;
let places: Places;
beforeAll(async () => {
  published = await createPublishedFolder();
});
beforeEach(() => published.clear());
afterEach(() => places.close());
afterAll(() => published?.remove());

/** Resolves with what the next event brings. */
function next<Name extends 'release' | 'error'>(name: Name): Promise<unknown> {
  return new Promise((resolve) => {
    const listener = (value: unknown): void => {
      places.off(name, listener);
      resolve(value);
    };
    places.on(name, listener);
  });
}

test('the same object uses the next release of a folder, and tells it', async () => {
  await published.publish('one');
  places = await open(published.folder, { watch: true });
  const { json } = places;
  expect([places.release.name, JSON.parse(json.release).name]).toEqual(['one', 'one']);
  const told = next('release');
  await published.publish('two');
  expect(await told).toEqual(places.release);
  expect([places.release.name, JSON.parse(json.release).name]).toEqual(['two', 'two']);
  expect(places.postcode('AD', 'AD100')?.postcode).toBe('AD100');
});

test('the same object uses another file of the same name', async () => {
  const path = join(published.root, 'world.snapshot');
  copyFileSync(published.source('one'), path);
  places = await open(path, { watch: true });
  const told = next('release');
  replace(path, published.source('three'));
  expect(await told).toMatchObject({ name: 'three' });
});

test('a bad file is an error event, and the snapshot in use stays', async () => {
  const path = join(published.root, 'world.snapshot');
  copyFileSync(published.source('one'), path);
  places = await open(path, { watch: true });
  const failed = next('error');
  replaceByGarbage(path);
  const error = await failed;
  expect(error).toBeInstanceOf(OpenError);
  expect(error).toMatchObject({ message: expect.stringMatching(/world\.snapshot: .*refused.*FILE_TOO_SHORT/) });
  expect(places.release.name).toBe('one');
  const told = next('release');
  replace(path, published.source('two'));
  expect(await told).toMatchObject({ name: 'two' });
});

test('an error without a listener is a warning', async () => {
  const path = join(published.root, 'world.snapshot');
  copyFileSync(published.source('one'), path);
  places = await open(path, { watch: true });
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  replaceByGarbage(path);
  await waitUntil('a warning', () => warn.mock.calls.length > 0);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('refused'), { type: 'OpenError', code: 'OPEN_FAILED' }]]);
  warn.mockRestore();
});

test('without watch the snapshot stays, and after close no event comes', async () => {
  await published.publish('one');
  const unwatched = await open(published.folder);
  places = await open(published.folder, { watch: true });
  const events: unknown[] = [];
  for (const each of [unwatched, places]) each.on('release', (release) => events.push(release));
  const other = await open(published.folder, { watch: true });
  const seen = new Promise((resolve) => other.on('release', resolve));
  await published.publish('two');
  // The watch may be in the middle of its check.
  await Promise.race([wait(300), seen]);
  events.length = 0;
  await places.close();
  await seen;
  expect(other.release.name).toBe('two');
  expect(unwatched.release.name).toBe('one');
  expect(events).toEqual([]);
  await Promise.all([other.close(), unwatched.close()]);
});

function replaceByGarbage(path: string): void {
  writeFileSync(`${path}.next`, 'no snapshot');
  renameSync(`${path}.next`, path);
}

function replace(path: string, by: string): void {
  copyFileSync(by, `${path}.next`);
  renameSync(`${path}.next`, path);
}
