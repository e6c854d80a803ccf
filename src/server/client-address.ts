/**
 * The client's address: that of the connection, or the X-Forwarded-For of a trusted proxy. Some proxies append the
 * client's port, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`; it is removed.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from './networks.js';

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
