/** Which combinations of SNAPSHOT and the variables of a pull are right, and one clear line for each that is not. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { InvalidValueError, StartError } from '../../src/base/errors.js';
import { type Environment, readSettings } from '../../src/base/settings.js';
import { firstDelayMs, readOrder } from '../../src/process/open-channel.js';
import { sourceSettings } from '../../src/process/settings.js';
import { startFromSource } from '../../src/process/source.js';
import { starterSnapshot } from '../../src/releases/find-snapshot.js';
import { createKeyFiles } from '../../src/releases/minisign.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';

const folder = createTemporaryFolder();
afterAll(() => folder.remove());
const keys = createKeyFiles();
const [keyFile, secretFile] = [join(folder.path, 'key.pub'), join(folder.path, 'key')];
writeFileSync(keyFile, keys.public);
writeFileSync(secretFile, keys.secret);
const SNAPSHOT = 'https://data.example/places';
const RIGHT = { SNAPSHOT, SNAPSHOT_KEY: keyFile, SNAPSHOT_CACHE: '/cache' };

const read = (environment: Environment) => readSettings(sourceSettings, environment);

const open = (environment: Environment) =>
  startFromSource(read(environment), silentLogger, new AbortController().signal, async (source) => source);

const orderOf = (environment: Environment) => readOrder({ ...read(environment), snapshotSource: `${SNAPSHOT}/` });

test.each<[Environment, string]>([
  [{}, starterSnapshot()],
  [{ SNAPSHOT: '/srv/places' }, '/srv/places'],
  [{ SNAPSHOT: 'https' }, 'https'],
])('%j is served as it is', async (environment, path) => {
  expect(await open(environment)).toEqual({ path, channel: undefined });
});

test('an address is pulled with the defaults of the rest', async () => {
  expect(await orderOf(RIGHT)).toEqual({
    address: `${SNAPSHOT}/`,
    channel: 'stable',
    folder: '/cache',
    key: keys.public,
  });
});

test('the key may stand in the variable itself, and the channel is the one that is given', async () => {
  const [, line = ''] = keys.public.split('\n');
  const order = await orderOf({ ...RIGHT, SNAPSHOT_KEY: line, SNAPSHOT_CHANNEL: 'next' });
  expect(order).toMatchObject({ channel: 'next', key: line });
});

test.each<[Environment, RegExp]>([
  [{ SNAPSHOT }, /^SNAPSHOT is an address, so SNAPSHOT_KEY \([^)]+\) and SNAPSHOT_CACHE \([^)]+\) must be set$/],
  [{ ...RIGHT, SNAPSHOT_KEY: undefined }, /, so SNAPSHOT_KEY \([^)]+\) must be set$/],
  [{ ...RIGHT, SNAPSHOT_CACHE: undefined }, /, so SNAPSHOT_CACHE \([^)]+\) must be set$/],
  [{ ...RIGHT, SNAPSHOT: '/srv/places' }, /^SNAPSHOT_KEY and SNAPSHOT_CACHE may be set only where SNAPSHOT is an http/],
  [{ SNAPSHOT: '/srv/places', SNAPSHOT_EVERY: '5m' }, /^SNAPSHOT_EVERY may be set only where /],
  [{ SNAPSHOT_CHANNEL: 'stable' }, /^SNAPSHOT_CHANNEL may be set only where /],
])('%j is wrong usage', async (environment, message) => {
  const error = await open(environment).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(InvalidValueError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain('\n');
});

test('a key that can not be used is a failure', async () => {
  const error = await open({ ...RIGHT, SNAPSHOT_KEY: secretFile }).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toMatch(/^SNAPSHOT_KEY: KEY_INVALID: \S+key is no public key of minisign; [^\n]*$/);
});

test('the first pulls of a fleet are spread over a tenth of the interval', () => {
  const delays = (isFilled: boolean) => Array.from({ length: 200 }, () => firstDelayMs(300_000, isFilled));
  for (const [isFilled, least] of [
    [true, 0],
    [false, 270_000],
  ] as const) {
    const found = delays(isFilled);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...found)).toBeLessThanOrEqual(least + 30_000);
    expect(Math.max(...found) - Math.min(...found)).toBeGreaterThan(15_000);
  }
});
