/**
 * Which addresses are outside the public internet, by IANA's registries of special-purpose addresses. A host of the
 * internet must not lead a program to them: services there may trust its network.
 */

import { BlockList, isIP, isIPv6 } from 'node:net';

/** Address ranges outside the public internet, from IANA's registries of special-purpose addresses. */
const PRIVATE_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private use
  ['100.64.0.0', 10], // behind a carrier's address translation
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; clouds keep their metadata there
  ['172.16.0.0', 12], // private use
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private use
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 96], // unspecified, loopback, and IPv4 addresses in a form that is out of use
  ['::ffff:0:0:0', 96], // translated to IPv4 (SIIT)
  ['64:ff9b:1::', 48], // translated to IPv4 within a network
  ['100::', 64], // discarded
  ['2001::', 23], // protocol assignments, and tunnels to IPv4 (Teredo)
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // tunnels to IPv4 (6to4)
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local
  ['ff00::', 8], // multicast
];
/** The 96-bit prefix of IPv6 addresses that a network translates to IPv4 (RFC 6052). */
const TRANSLATED_IPV4 = '64:ff9b::';

function privateAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of PRIVATE_IPV4) {
    list.addSubnet(network, prefix, 'ipv4');
    list.addSubnet(TRANSLATED_IPV4 + network, 96 + prefix, 'ipv6');
  }
  for (const [network, prefix] of PRIVATE_IPV6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const PRIVATE = privateAddresses();

/** Whether an address is outside the public internet, or invalid. An IPv4-mapped address counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 0 || PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Hosts that only programs of the same machine reach: there a person tries the site, and TLS would protect nothing. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
