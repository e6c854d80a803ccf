/**
 * A limit on what one network address may ask for by searching, which costs more than a page: the rule of rate-limit.ts,
 * with one number for each address in the memory of this process. An IPv6 address counts as its network of 64 bits, which
 * one customer has. Addresses are forgotten in the order in which they were first seen, once there are MAX_ADDRESSES.
 */
import { isIPv6 } from 'node:net';
import type { Rate } from '../keys/plan.js';
import { arrivalFrom, countAdmissible, intervalMs, untilNextMs } from '../keys/rate-limit.js';

/** Of somebody who types fast and thinks little. */
const RATE: Rate = { requestsPerSecond: 10, burst: 40 };
const MAX_ADDRESSES = 50_000;

export interface AddressLimit {
  /** How many milliseconds the address must wait; 0 where its request may be answered, which then counts. */
  waitMs(address: string, nowMs: number): number;
}

export function createAddressLimit(
  rate: Rate = RATE,
  maxAddresses = MAX_ADDRESSES,
  counted: (address: string) => string = networkOf,
): AddressLimit {
  const arrivals = new Map<string, number>();
  return {
    waitMs(address, nowMs) {
      const network = counted(address);
      const arrivalMs = arrivals.get(network) ?? nowMs;
      if (countAdmissible(rate, arrivalMs, nowMs) === 0) return untilNextMs(rate, arrivalMs, nowMs);
      if (!arrivals.has(network) && arrivals.size >= maxAddresses) {
        const [oldest] = arrivals.keys();
        if (oldest !== undefined) arrivals.delete(oldest);
      }
      arrivals.set(network, arrivalFrom(rate, arrivalMs, nowMs) + intervalMs(rate));
      return 0;
    },
  };
}

/** How much of an address is its network: bytes of IPv4, groups of 16 bits of IPv6. */
interface NetworkWidth {
  readonly bytes: number;
  readonly groups: number;
}

/** Default: IPv4 as it is, and the first 64 bits of IPv6. IPv4 is known also where it is written as IPv6. */
export function networkOf(address: string, { bytes, groups }: NetworkWidth = { bytes: 4, groups: 4 }): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return (mapped ?? address).split('.').slice(0, bytes).join('.');
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const parts = head.split(':').filter((group) => group !== '');
  const behind = tail?.split(':').filter((group) => group !== '') ?? [];
  while (parts.length + behind.length < 8) parts.push('0');
  return [...parts, ...behind]
    .slice(0, groups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
