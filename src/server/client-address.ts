/**
 * Whose request it is: the address of the connection, or what a trusted proxy says in X-Forwarded-For. Some proxies
 * write the client's port behind its address, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`; the port is left out
 * here.
 */
import { isIP } from 'node:net';

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

interface App {
  get(setting: string): unknown;
  set(setting: string, value: unknown): unknown;
}

/** Lets an Express app believe these addresses and subnets, with or without a port behind them. */
export function trustProxies(app: App, proxies: readonly string[]): void {
  app.set('trust proxy', [...proxies]);
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(withoutPort(address), hop));
}

/** The address of the client; undefined where the client's side wrote something else. */
export function clientAddress({ ip = '' }: { readonly ip?: string | undefined }): string | undefined {
  const address = withoutPort(ip);
  return isIP(address) === 0 ? undefined : address;
}

function withoutPort(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}
