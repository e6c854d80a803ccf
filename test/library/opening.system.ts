/** How the library opens a snapshot, and how it follows a source. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { ClosedError, OpenError, open, type Places } from '../../src/library/index.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Opening a snapshot with the library, and the end of its use. */
describe('opening', () => {
  let published: PublishedFolder;
  beforeAll(async () => {
    published = await createPublishedFolder();
  });
  beforeEach(() => published.clear());
  afterAll(() => published?.remove());

  /** The release that an opened source has. */
  async function releaseOf(source: string): Promise<string> {
    const places = await open(source);
    try {
      return places.release.name;
    } finally {
      await places.close();
    }
  }

  describe('a source', () => {
    test('is a file, also by a relative path', async () => {
      expect(await releaseOf(published.source('one'))).toBe('one');
      expect(await releaseOf(relative(process.cwd(), published.source('two')))).toBe('two');
    });

    test('is a folder of published snapshots, whose current one is opened', async () => {
      await published.publish('one');
      await published.publish('two');
      expect(await releaseOf(published.folder)).toBe('two');
      await published.rollBack();
      expect(await releaseOf(published.folder)).toBe('one');
    });

    test('whose current snapshot is damaged gives another of its snapshots', async () => {
      await published.publish('one');
      const path = join(published.folder, (await published.publish('two')).name);
      const damaged = join(published.root, 'damaged');
      copyFileSync(path, damaged);
      truncateSync(damaged, 100);
      renameSync(damaged, path);
      expect(await releaseOf(published.folder)).toBe('one');
    });

    test.each([
      ['an empty folder', () => published.folder, /has no "current"/],
      ['no snapshot', () => written('no snapshot'), /FILE_TOO_SHORT/],
      ['cut off', () => written(readFileSync(published.source('one')).subarray(0, 9000)), /LENGTH_MISMATCH/],
    ] as const)('that is %s is an OpenError', async (_, source, message) => {
      const error = await open(source()).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenError);
      expect(error).toMatchObject({ name: 'OpenError', code: 'OPEN_FAILED', message: expect.stringMatching(message) });
      expect(message.test(String((error as OpenError).cause))).toBe(true);
    });

    test.each([[''], [null], [5], [new URL('file:///nowhere')]])(
      'that is no path is an invalid argument: %p',
      async (path) => {
        await expect(open(path as string)).rejects.toMatchObject({
          name: 'InvalidArgumentError',
          details: [{ param: 'path', message: expect.stringContaining('path must be a path as text') }],
        });
      },
    );

    test('that is not there is an OpenError', () => {
      const script = `
      const error = await open('/nowhere/world.snapshot').catch((reason) => reason);
      console.log(error instanceof OpenError, error.code, error.cause instanceof Error, error.message);`;
      expect(runWithLibrary(script)).toMatch(
        /^true OPEN_FAILED true can't open .*world\.snapshot is not there \(ENOENT\)/,
      );
    });
  });

  function written(contents: string | Uint8Array): string {
    const path = join(published.root, 'broken.snapshot');
    writeFileSync(path, contents);
    return path;
  }

  /** What a script prints that has the built library and the paths of files, by \`argv\`, in a process of its own. */
  function runWithLibrary(script: string, ...argv: readonly string[]): string {
    const given = `
    const [library, ...argv] = process.argv.slice(1);
    const { open, OpenError } = await import(library);
    const { readFileSync } = await import('node:fs');
    const countMappings = (path) =>
      readFileSync('/proc/self/maps', 'utf8').split('\\n').filter((line) => line.endsWith(path)).length;
    ${script}`;
    const library = pathToFileURL(join(packageRoot(), 'dist/src/library/index.js')).href;
    const args = ['--expose-gc', '--input-type=module', '--eval', given, library, ...argv];
    return execFileSync(process.execPath, args, { encoding: 'utf8' });
  }

  test('the file is read where it can not be mapped, with the same answers', () => {
    const script = `
    const [path] = argv;
    const ask = ({ json }) => [
      json.countries(),
      json.postcode('AD', 'AD100'),
      json.suggest('canillo'),
      json.nearby({ lat: 42.57, lng: 1.6 }),
    ];
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const read = await open(path);
    const readMappings = countMappings(path);
    Object.defineProperty(process, 'platform', { value: platform });
    const mapped = await open(path);
    const isSame = JSON.stringify(ask(read)) === JSON.stringify(ask(mapped));
    console.log(JSON.stringify([readMappings, countMappings(path), isSame, ask(read)[1].length > 100]));`;
    expect(runWithLibrary(script, published.source('one'))).toBe('[0,1,true,true]\n');
  });

  test('after close every lookup is an error, and events and another close are not', async () => {
    const places = await open(published.source('one'));
    const closing = places.close();
    const lookups = [
      () => places.countries(),
      () => places.postcode('AD', 'AD100'),
      () => places.json.postcode('not', 'valid'),
      () => places.suggest('canillo'),
      () => places.release,
      () => places.json.release,
    ];
    for (const lookUp of lookups) {
      expect(lookUp).toThrow(ClosedError);
      expect(lookUp).toThrow(expect.objectContaining({ name: 'ClosedError', code: 'CLOSED' }));
    }
    const listener = (): void => {};
    expect(places.on('release', listener).off('release', listener)).toBe(places);
    expect(places.close()).toBe(closing);
    await closing;
  });

  test('what is closed is unmapped, though the object is still there; nothing keeps the process alive', () => {
    const script = `
    const [path, watch] = argv;
    const places = await open(path, { watch: watch === 'watch' });
    const { postcode } = places.postcode('AD', 'AD100');
    const before = countMappings(path);
    await places.close();
    for (let round = 0; round < 20 && countMappings(path) > 0; round++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    console.log(JSON.stringify([postcode, before, countMappings(path)]), typeof places.close);
    await open(path);`;
    for (const watch of ['', 'watch']) {
      expect(runWithLibrary(script, published.source('one'), watch)).toBe('["AD100",1,0] function\n');
    }
  });
});

/** A watched source: another snapshot is used by the same object, a bad one changes nothing, and a closed watch is over. */
describe('watching', () => {
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
});
