/** What the image and the deployments set is what the server reads, and agrees with what it does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../src/config.js';
import { STOP_MARGIN_MS } from '../src/serving/worker-fleet.js';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const SETTINGS = textOf('src/config.ts').match(/(?:setting|secret)(?:<[^>]*(?:>[^>(]*)?>)?\(\s*'[A-Z_]+'/g) ?? [];
const VARIABLES = SETTINGS.map((call) => /'([A-Z_]+)'/.exec(call)?.[1]);

const image = (/^ENV (.*)$/m.exec(textOf('Dockerfile'))?.[1] ?? '').split(' ').map((pair) => pair.split('='));
const compose = textOf('deploy/compose.yaml').matchAll(/^ {6}([A-Z_]+): "?([^"\n]*)"?$/gm);
const kubernetes = textOf('deploy/kubernetes.yaml').matchAll(/- name: ([A-Z_]+)\n +value: "?([^"\n]*)"?$/gm);

test.each([
  ['Dockerfile', Object.fromEntries(image), ['HOST', 'PORT', 'SNAPSHOT', 'KEYS_DIR', 'ADMIN_PORT']],
  [
    'compose.yaml',
    Object.fromEntries(Array.from(compose, ([, name, value]) => [name, value])),
    ['SNAPSHOT', 'REDIS_URL'],
  ],
  ['kubernetes.yaml', Object.fromEntries(Array.from(kubernetes, ([, name, value]) => [name, value])), ['SNAPSHOT']],
])('the variables of %s', (_, environment: Record<string, string>, some) => {
  expect(VARIABLES.length).toBeGreaterThan(12);
  expect(Object.keys(environment)).toEqual(expect.arrayContaining(some));
  expect(Object.keys(environment).filter((name) => name !== 'NODE_ENV' && !VARIABLES.includes(name))).toEqual([]);
  expect(() => readConfig(environment)).not.toThrow();
});

test('a stop is given more time than the drain takes', () => {
  const stopSeconds = readConfig({}).drainSeconds + STOP_MARGIN_MS / 1_000;
  const [, compose] = /stop_grace_period: (\d+)s/.exec(textOf('deploy/compose.yaml')) ?? [];
  const kubernetes = textOf('deploy/kubernetes.yaml');
  const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(kubernetes) ?? [];
  const [, pause] = /"sleep", "(\d+)"/.exec(kubernetes) ?? [];
  expect(Number(compose)).toBeGreaterThan(stopSeconds);
  expect(Number(grace)).toBeGreaterThan(stopSeconds + Number(pause));
});
