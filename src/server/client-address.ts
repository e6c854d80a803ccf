/**
 * The client's address: that of the connection, or the X-Forwarded-For of a trusted proxy. Some proxies append the
 * client's port, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`; it is removed.
 */
import { isIP } from 'node:net';

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
