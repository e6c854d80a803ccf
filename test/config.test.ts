/** The environment's rules: defaults, every accepted form, and one clear line for every wrong one. */

import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../src/config.js';

test('an empty environment gives the defaults, frozen', () => {
  const config = readConfig({});
  expect(config).toEqual({
    host: '127.0.0.1',
    port: 3000,
    snapshotFile: './var/places.snapshot',
    keysDirectory: './var/keys',
    logLevel: 'info',
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test.each([
  [{ HOST: '::1' }, { host: '::1' }],
  [{ HOST: 'localhost' }, { host: 'localhost' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ SNAPSHOT: '/data/my places.snapshot' }, { snapshotFile: '/data/my places.snapshot' }],
  [{ KEYS_DIR: 'keys' }, { keysDirectory: 'keys' }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ OTHER: '' }, {}],
])('%j is accepted', (environment, expected) => {
  expect(readConfig(environment)).toMatchObject(expected);
});

describe('a wrong value is one line that names the variable, what is allowed and what was found', () => {
  test.each([
    ['HOST', ['', 'a b', 'http://a', 'a\n']],
    ['PORT', ['', '65536', '-1', '3000.0', '0x10', ' 80', 'http', '99999999']],
    ['SNAPSHOT', ['', '  ', 'a\0b']],
    ['KEYS_DIR', ['', '\t']],
    ['LOG_LEVEL', ['', 'INFO', 'verbose']],
  ])('%s', (variable, values) => {
    for (const value of values) {
      const attempt = () => readConfig({ [variable]: value });
      expect(attempt).toThrow(ConfigError);
      expect(attempt).toThrow(new RegExp(`^${variable} must be [^\n]+; found "[^\n]*"$`));
    }
  });
});
