/** The network that a client's address belongs to, for limits by address: one customer has many IPv6 addresses. */
import ipaddr from 'ipaddr.js';

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
