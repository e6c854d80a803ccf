/**
 * Networks of addresses: whether an address lies in one of some subnets, and the network that an address belongs to, for
 * limits by address, since one customer has many IPv6 addresses. IPv4 written as IPv6 is IPv4.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * A function that tells whether an address lies in one of these subnets, such as `10.0.0.0/8` or `::1`. IPv4 written as
 * IPv6 is IPv4, on both sides.
 */
export function createNetworkMatcher(subnets: readonly string[]): (address: string | undefined) => boolean {
  const ranges = subnets.map(parseRange);
  return (text) => {
    if (ranges.length === 0 || text === undefined || isIP(text) === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(
      ([start, bits]) => start.kind() === address.kind() && (address as ipaddr.IPv6).match(start as ipaddr.IPv6, bits),
    );
  };
}

/** Bits before an IPv4 address that is written as IPv6. */
const MAPPED_BITS = 96;

function parseRange(subnet: string): [start: ipaddr.IPv4 | ipaddr.IPv6, bits: number] {
  const [address = '', size] = subnet.split('/');
  const start = ipaddr.parse(address);
  const bits = size === undefined ? 8 * start.toByteArray().length : Number(size);
  const isMapped = start instanceof ipaddr.IPv6 && start.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [start.toIPv4Address(), bits - MAPPED_BITS] : [start, bits];
}

/** How many bytes of an address name a network. */
export type NetworkBytes = Readonly<Record<'ipv4' | 'ipv6', number>>;

/** The network of one customer: an IPv4 address, or 64 bits of IPv6. */
export const CUSTOMER_BYTES: NetworkBytes = { ipv4: 4, ipv6: 8 };

/** The first bytes of an address, also of IPv4 written as IPv6. All texts that are no address are one network. */
export function networkOf(address: string | undefined, bytes: NetworkBytes): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  return parsed.toByteArray().slice(0, bytes[parsed.kind()]).join('.');
}

const WIDE_BYTES: NetworkBytes = { ipv4: 3, ipv6: 6 };

/** The wide network that an address belongs to; one for all that is no address. */
export function wideNetworkOf(address: string | undefined): string {
  return networkOf(address, WIDE_BYTES);
}
