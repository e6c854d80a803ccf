/** The limit of a network address: how much one may ask, which addresses are one customer, and how many are remembered. */

import { expect, test } from '@jest/globals';
import { createAddressLimit } from '../../src/server/address-limit.js';

const RATE = { requestsPerSecond: 1, burst: 3 };

test('lets a burst through, and then one for each interval', () => {
  const limit = createAddressLimit(RATE);
  expect([0, 0, 0, 0].map((nowMs) => limit.waitMs('1.2.3.4', nowMs))).toEqual([0, 0, 0, 1000]);
  expect(limit.waitMs('1.2.3.5', 0)).toBe(0);
  expect([limit.waitMs('1.2.3.4', 999), limit.waitMs('1.2.3.4', 1000), limit.waitMs('1.2.3.4', 1000)]).toEqual([
    1, 0, 1000,
  ]);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:0db8:1:2::1', '2001:db8:1:2::2', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '::2', true],
  ['::ffff:1.2.3.4', '1.2.3.4', true],
  ['::ffff:1.2.3.4', '::ffff:1.2.3.5', false],
  // IPv4 that a translator (SIIT, RFC 7915) writes as IPv6 is an IPv6 network, and all of it one.
  ['::ffff:0:1.2.3.4', '::ffff:0:5.6.7.8', true],
  ['::ffff:0:1.2.3.4', '1.2.3.4', false],
  ['fe80::1%eth0', 'fe80::2', true],
])('%s and %s are one customer: %s', (one, other, areOne) => {
  const limit = createAddressLimit({ requestsPerSecond: 1, burst: 1 });
  expect(limit.waitMs(one, 0)).toBe(0);
  expect(limit.waitMs(other, 0) > 0).toBe(areOne);
});

test('forgets the network seen longest ago where there are too many', () => {
  const limit = createAddressLimit({ requestsPerSecond: 1, burst: 1 });
  const ask = (): number => limit.waitMs('9.9.9.9', 0);
  expect([ask(), ask()]).toEqual([0, 1000]);
  for (let host = 0; host < 50_000; host++) limit.waitMs(`1.${host >> 8}.${host & 255}.1`, 0);
  expect(ask()).toBe(0);
});

test.each([
  ['of IPv4', (host: number) => `1.2.3.${host}`, '1.2.4.1'],
  ['of IPv6', (host: number) => `2001:db8:1:${host.toString(16)}::1`, '2001:db8:2::1'],
])('a wide network %s may do eight times as much as an address in it', (_kind, addressOf, elsewhere) => {
  const limit = createAddressLimit({ requestsPerSecond: 1, burst: 3 });
  const admitted = Array.from({ length: 200 }, (_, host) => limit.waitMs(addressOf(host), 0)).filter((ms) => ms === 0);
  expect(admitted).toHaveLength(24);
  expect(limit.waitMs(elsewhere, 0)).toBe(0);
  expect(limit.waitMs(addressOf(250), 124)).toBe(1);
  expect(limit.waitMs(addressOf(250), 125)).toBe(0);
});

test('what one address is refused is not counted against its neighbours', () => {
  const limit = createAddressLimit({ requestsPerSecond: 0.001, burst: 2 });
  for (let round = 0; round < 1_000; round++) limit.waitMs('1.2.3.4', 0);
  expect(['1.2.3.5', '1.2.3.5', '1.2.3.6', '1.2.3.7'].map((address) => limit.waitMs(address, 0))).toEqual([0, 0, 0, 0]);
  expect(limit.waitMs('1.2.3.5', 0)).toBeGreaterThan(0);
});
