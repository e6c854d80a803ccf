/**
 * The client's address: that of the connection, or the X-Forwarded-For of a trusted proxy. Some proxies append the
 * client's port, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`; it is removed.
 */

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

function withoutPort(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
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
