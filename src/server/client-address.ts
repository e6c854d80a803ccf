/**
 * The client's address: that of the connection, or the X-Forwarded-For of a trusted proxy. Some proxies append the
 * client's port, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`; it is removed.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

interface App {
  get(setting: string): unknown;
  set(setting: string, value: unknown): unknown;
}

/** Makes an Express app trust these addresses and subnets, with or without a port. */
export function trustProxies(app: App, proxies: readonly string[]): void {
  app.set('trust proxy', [...proxies]);
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(withoutPort(address), hop));
}

/** The address of the client; undefined if X-Forwarded-For is not an address. */
export function clientAddress({ ip = '' }: { readonly ip?: string | undefined }): string | undefined {
  const address = withoutPort(ip);
  return isIP(address) === 0 ? undefined : address;
}

/** Headers in which proxies and delivery networks name the client, beside X-Forwarded-For and Forwarded. */
const CLIENT_HEADERS = [
  'cf-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-original-forwarded-for',
  'x-real-ip',
];

/**
 * Whether headers tell of clients or proxies that no trusted proxy vouches for: then a proxy may stand at the address,
 * and the client be anybody. Trusted proxies vouch for as many entries of X-Forwarded-For and Via as there are of these
 * proxies, and for a header that names an address which they name too.
 */
export function hasUnvouchedClients({
  headers,
  ip,
  ips,
}: {
  readonly headers: IncomingHttpHeaders;
  readonly ip?: string | undefined;
  /** The entries of X-Forwarded-For that trusted proxies vouch for. */
  readonly ips: readonly string[];
}): boolean {
  if (headers.forwarded !== undefined) return true;
  if ([headers['x-forwarded-for'], headers.via].some((list) => entriesOf(list).length > ips.length)) return true;
  const vouched = [ip ?? '', ...ips].map(wholeAddress);
  return CLIENT_HEADERS.some((name) =>
    entriesOf(headers[name]).some((entry) => !vouched.includes(wholeAddress(entry))),
  );
}

function entriesOf(header: string | readonly string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join()
    .split(',')
    .filter((entry) => entry.trim() !== '');
}

/** One text for each address, however it is written. */
function wholeAddress(text: string): string {
  return networkOf(withoutPort(text.trim()), { ipv4: 4, ipv6: 16 });
}

function withoutPort(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

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

/* The network that a client's address belongs to, for limits by address: one customer has many IPv6 addresses. */

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
