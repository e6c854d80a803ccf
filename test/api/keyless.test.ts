/** Requests without a key from networks that need none: who is let in, behind proxies too, and as whom it counts. */

import { afterEach, expect, jest, test } from '@jest/globals';
import { KEYLESS_RATE } from '../../src/api/http/keyless.js';
import { contextOf, type RequestContext } from '../../src/api/http/request-context.js';
import { createNetworkMatcher } from '../../src/server/networks.js';
import { getRaw, postLookups, startServer, type TestServer } from './harness.js';

let server: TestServer | undefined;
afterEach(() => server?.close());

const TARGET = '/v1/countries';

async function start(networks: readonly string[], proxies: readonly string[] = []) {
  const contexts: RequestContext[] = [];
  const observer = {
    answered: (_request: unknown, response: Parameters<typeof contextOf>[0]) => void contexts.push(contextOf(response)),
    refusedEarly: () => undefined,
  };
  server = await startServer(undefined, undefined, undefined, proxies, {
    keylessNetworks: networks,
    observer,
  });
  return { server, contexts };
}

test.each<[networks: string[], address: string | undefined, isInside: boolean]>([
  [['10.0.0.0/8'], '10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:a01:203', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['10.0.0.0/8'], '::10.1.2.3', false],
  [['10.0.0.0/8'], '64:ff9b::10.1.2.3', false],
  [['10.0.0.0/8'], '::ffff:0:10.1.2.3', false],
  [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
  [['::ffff:10.0.0.0/104'], '::ffff:10.1.2.3', true],
  [['::ffff:0:0/95'], '10.1.2.3', false],
  [['127.0.0.1'], '127.0.0.1', true],
  [['127.0.0.1'], '127.0.0.2', false],
  [['127.0.0.0/8'], '::1', false],
  [['::1', '127.0.0.0/8'], '0:0:0:0:0:0:0:1', true],
  [['2001:db8::/32'], '2001:db8:ffff::1', true],
  [['2001:db8::/32'], '2001:db9::1', false],
  [['10.0.0.0/8'], '012.1.2.3', false],
  [['10.0.0.0/8'], 'unknown', false],
  [['10.0.0.0/8'], undefined, false],
  [[], '10.0.0.1', false],
])('in %j lies %s: %s', (networks, address, isInside) => {
  expect(createNetworkMatcher(networks)(address)).toBe(isInside);
});

const LOCAL = ['127.0.0.0/8', '10.0.0.0/8'];

test.each<[what: string, networks: string[], proxies: string[], headers: string, status: number]>([
  ['a client in a network', LOCAL, [], '', 200],
  ['a client in no network', ['10.0.0.0/8'], [], '', 401],
  ['no networks', [], [], '', 401],
  ['an empty header', LOCAL, [], 'x-api-key: \r\n', 200],
  ['a bad key', LOCAL, [], 'x-api-key: bad\r\n', 401],
  ['a revoked key', LOCAL, [], 'x-api-key: revoked-key\r\n', 401],
  ['a spent key', LOCAL, [], 'x-api-key: spent-key\r\n', 429],
  ['a header that nobody vouches for', ['10.0.0.0/8'], [], 'x-forwarded-for: 10.0.0.1\r\n', 401],
  [
    'the same in other headers',
    ['10.0.0.0/8'],
    ['127.0.0.1'],
    'forwarded: for=10.0.0.1\r\nx-real-ip: 10.0.0.1\r\n',
    401,
  ],
  ['a client outside behind a trusted proxy inside', LOCAL, ['127.0.0.1'], 'x-forwarded-for: 203.0.113.5\r\n', 401],
  ['a client inside behind a trusted proxy', ['10.0.0.0/8'], ['127.0.0.1'], 'x-forwarded-for: 10.0.0.9\r\n', 200],
  ['IPv4 as IPv6', ['10.0.0.0/8'], ['127.0.0.1'], 'x-forwarded-for: ::ffff:10.0.0.9\r\n', 200],
  ['with a port', ['10.0.0.0/8'], ['127.0.0.1'], 'x-forwarded-for: 10.0.0.9:4711\r\n', 200],
  ['in brackets', ['10.0.0.0/8'], ['127.0.0.1'], 'x-forwarded-for: [::ffff:10.0.0.9]:4711\r\n', 200],
  ['what the client put before', LOCAL, ['127.0.0.1'], 'x-forwarded-for: 10.0.0.9, 203.0.113.5\r\n', 401],
  [
    'what the client put before, twice',
    LOCAL,
    ['127.0.0.1'],
    'x-forwarded-for: 10.0.0.9\r\nx-forwarded-for: 203.0.113.5\r\n',
    401,
  ],
  ['behind two trusted proxies', LOCAL, ['127.0.0.1', '10.0.0.2'], 'x-forwarded-for: 203.0.113.5, 10.0.0.2\r\n', 401],
  ['a proxy inside that nobody trusts', LOCAL, [], 'x-forwarded-for: 203.0.113.5\r\n', 401],
  ['a proxy behind a trusted one', LOCAL, ['127.0.0.1'], 'x-forwarded-for: 203.0.113.5, 10.0.0.7\r\n', 401],
  ['a proxy with another header', LOCAL, [], 'forwarded: for=203.0.113.5\r\n', 401],
  ...['x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'].map(
    (name): [string, string[], string[], string, number] => [
      `a proxy that sends ${name} alone`,
      LOCAL,
      [],
      `${name}: 203.0.113.5\r\n`,
      401,
    ],
  ),
  ['a proxy that names a client inside', LOCAL, [], 'x-real-ip: 10.0.0.9\r\n', 401],
  ['a proxy that names no address', LOCAL, [], 'x-real-ip: unknown\r\n', 401],
  ['a proxy that names itself', LOCAL, [], 'x-real-ip: 127.0.0.1\r\n', 200],
  ['an empty header of one client', LOCAL, [], 'x-real-ip: \r\n', 200],
  ['a proxy that sends Via alone', LOCAL, [], 'via: 1.1 cache\r\n', 401],
  ['a proxy that sends Via behind a trusted one', LOCAL, ['127.0.0.1'], 'via: 1.1 cache\r\n', 401],
  [
    'two proxies in Via, of which one is trusted',
    LOCAL,
    ['127.0.0.1'],
    'x-forwarded-for: 10.0.0.9\r\nvia: 1.1 cache, 1.1 edge\r\n',
    401,
  ],
  [
    'a trusted proxy that tells of the client in each header',
    ['10.0.0.0/8'],
    ['127.0.0.1'],
    'x-forwarded-for: 10.0.0.9\r\nx-real-ip: ::ffff:10.0.0.9\r\ncf-connecting-ip: 10.0.0.9:4711\r\nvia: 1.1 edge\r\n',
    200,
  ],
  [
    'two trusted proxies, of which the second names the first',
    ['10.0.0.0/8'],
    ['127.0.0.1', '192.0.2.1'],
    'x-forwarded-for: 10.0.0.9, 192.0.2.1\r\nx-real-ip: 192.0.2.1\r\n',
    200,
  ],
  [
    'a client that a proxy inside has named to a trusted one',
    LOCAL,
    ['127.0.0.1'],
    'x-forwarded-for: 10.0.0.7\r\nx-real-ip: 203.0.113.5\r\n',
    401,
  ],
  ['an empty header of a proxy', LOCAL, [], 'x-forwarded-for: \r\n', 200],
  ['no address', LOCAL, ['127.0.0.1'], 'x-forwarded-for: unknown\r\n', 401],
  ['an octal address', LOCAL, ['127.0.0.1'], 'x-forwarded-for: 012.0.0.1\r\n', 401],
])('%s', async (_what, networks, proxies, headers, status) => {
  const { server, contexts } = await start(networks, proxies);
  expect((await getRaw(server.port, TARGET, headers)).status).toBe(status);
  const isKeyless = status === 200;
  expect(contexts[0]?.keyOutcome === 'keyless').toBe(isKeyless);
  expect(contexts[0]?.keyId === 'keyless').toBe(isKeyless);
});

test('an address is limited, and others are not; a bulk request takes one unit for each lookup', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  const { server, contexts } = await start(['10.0.0.0/8'], ['127.0.0.1']);
  const lookups = Array.from({ length: KEYLESS_RATE.burst }, () => ({ country: 'DE', postcode: '10115' }));
  const from = (address: string) => ({ key: '', headers: `x-forwarded-for: ${address}\r\n` });
  const bulk = await postLookups(server.port, { lookups }, from('10.0.0.1'));
  expect(bulk.status).toBe(200);
  const again = await postLookups(server.port, { lookups }, from('10.0.0.1'));
  expect([again.status, /retry-after: \d/i.test(again.head)]).toEqual([429, true]);
  expect((await getRaw(server.port, TARGET, 'x-forwarded-for: 10.0.1.1\r\n')).status).toBe(200);
  expect(contexts.map(({ keyOutcome }) => keyOutcome)).toEqual(['keyless', 'keyless-limited', 'keyless']);
  const outside = await postLookups(server.port, { lookups }, from('203.0.113.5'));
  expect(outside.status).toBe(401);
  clock.mockRestore();
});
