/** Addresses of a Redis: every form, every wrong one, and never a password in what people see. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValueError } from '../../../src/base/errors.js';
import { describeRedisAddress, parseRedisAddress, type RedisAddress } from '../../../src/keys/storage/redis-address.js';

fc.configureGlobal({ seed: 20240229 });

const SINGLE: RedisAddress = {
  kind: 'single',
  tls: false,
  username: null,
  password: null,
  sentinelPassword: null,
  hosts: [{ host: 'host', port: 6379 }],
  masterName: '',
  database: 0,
};

const hosts = (...places: [host: string, port: number][]) => places.map(([host, port]) => ({ host, port }));
const sentinel = (masterName: string, ...places: [host: string, port: number][]) =>
  ({ kind: 'sentinel', masterName, hosts: hosts(...places) }) as const;

describe('parseRedisAddress reads', () => {
  test.each([
    ['redis://host', {}],
    ['redis://host/', {}],
    ['redis://host/0', {}],
    ['redis://host:6380', { hosts: [{ host: 'host', port: 6380 }] }],
    ['redis://host/15', { database: 15 }],
    ['rediss://host', { tls: true }],
    ['redis://127.0.0.1', { hosts: [{ host: '127.0.0.1', port: 6379 }] }],
    ['redis://[::1]:7000/2', { hosts: [{ host: '::1', port: 7000 }], database: 2 }],
    ['redis://[fe80::1]', { hosts: [{ host: 'fe80::1', port: 6379 }] }],
    ['redis://redis_1.internal-net', { hosts: [{ host: 'redis_1.internal-net', port: 6379 }] }],
    ['redis://anna@host', { username: 'anna' }],
    ['redis://:secret@host', { password: 'secret' }],
    ['redis://anna:secret@host', { username: 'anna', password: 'secret' }],
    ['redis://an%3Ana:s%40c%2Fr%25t%20%C3%A9@host', { username: 'an:na', password: 's@c/r%t é' }],
    ['redis://anna:a:b@host', { username: 'anna', password: 'a:b' }],
    ['redis://:a/b?c#d@host/3', { password: 'a/b?c#d', database: 3 }],
    ['redis://@host', {}],
    [
      'redis-sentinel://:secret@one,two:7000,[::1]/my%20master/3',
      { ...sentinel('my master', ['one', 26_379], ['two', 7_000], ['::1', 26_379]), password: 'secret', database: 3 },
    ],
    [
      'redis-sentinel://:secret@one/mymaster?sentinelPassword=a%26b',
      { ...sentinel('mymaster', ['one', 26_379]), password: 'secret', sentinelPassword: 'a&b' },
    ],
    ['rediss-sentinel://one/mymaster', { ...sentinel('mymaster', ['one', 26_379]), tls: true }],
    ['redis-cluster://one,two:7000', { kind: 'cluster', hosts: hosts(['one', 6_379], ['two', 7_000]) }],
    [
      'rediss-cluster://anna:secret@one/0',
      { kind: 'cluster', tls: true, username: 'anna', password: 'secret', hosts: hosts(['one', 6_379]) },
    ],
  ] as [string, Partial<RedisAddress>][])('%s', (text, change) => {
    expect(parseRedisAddress(text)).toEqual({ ...SINGLE, ...change });
  });
});

describe('parseRedisAddress refuses', () => {
  test.each([
    '',
    'host',
    'REDIS://host',
    'redis:/host',
    'redis://',
    'redis:///0',
    'redis://:secret@',
    'redis://ho st',
    'redis://host\n',
    'redis://höst',
    'redis://host:0',
    'redis://host:65536',
    'redis://host:123456',
    'redis://host:',
    'redis://::1',
    'redis://[::1',
    'redis://[host]',
    'redis://one,two',
    'redis://host/one',
    'redis://host/12345',
    'redis://host/0/0',
    'redis://host?db=1',
    'redis://host/0?sentinelPassword=x',
    'redis-cluster://one?sentinelPassword=x',
    'redis-sentinel://one/master?sentinelPassword=',
    'redis-sentinel://one/master?sentinelPassword=%zz',
    'redis-sentinel://one/master?sentinelPassword=x&y=z',
    'redis://host#0',
    'redis://:%ff@host',
    'redis+tls://host',
    'redis-sentinel://one',
    'redis-sentinel://one/',
    'redis-sentinel://one//0',
    'redis-sentinel://one/master/0/0',
    'redis-sentinel://one/%zz',
    'redis-sentinel://one,,two/master',
    'redis-cluster://one/1',
    'redis-other://one',
  ])('%j', (text) => {
    expect(() => parseRedisAddress(text)).toThrow(InvalidValueError);
  });

  test('with one sentence that does not hold the password, wherever the fault lies', () => {
    const faults = [':12,', '@x', '%zz', ' x', '/', '?', '#', 'é', '\n'];
    const forms = ['redis', 'rediss', 'redis-sentinel', 'redis-cluster', 'http', 'redis-other'];
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        fc.constantFrom(...faults),
        fc.constantFrom(...faults),
        fc.nat(3),
        (form, one, other, place) => {
          const parts = [`${form}://anna`, ':hunter2', '@host', '/master/99'];
          parts.splice(place + 1, 0, one);
          const text = parts.join('') + other;
          try {
            parseRedisAddress(text);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidValueError);
            expect((error as Error).message).toMatch(/^[^\n]+$/);
            expect((error as Error).message).not.toContain('hunter2');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('describeRedisAddress', () => {
  test.each([
    ['redis://anna:secret@host', 'redis://host:6379'],
    ['rediss://:secret@[::1]:7000/3', 'rediss://[::1]:7000/3'],
    ['redis-sentinel://:secret@one,two:7000/mymaster/2', 'redis-sentinel://one:26379,two:7000/mymaster/2'],
    ['rediss-cluster://anna:secret@one,two', 'rediss-cluster://one:6379,two:6379'],
  ])('shows %s as %s, which means the same but for who comes', (text, described) => {
    const address = parseRedisAddress(text);
    expect(describeRedisAddress(address)).toBe(described);
    expect(parseRedisAddress(described)).toEqual({ ...address, username: null, password: null });
  });
});
