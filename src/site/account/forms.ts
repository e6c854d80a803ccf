/** Reads the forms of accounts, and redirects after them. */

import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { isLoopback } from '../../base/private-addresses.js';
import { LONGEST_SESSION_MS } from '../../keys/accounts/sessions.js';
import { CODE_MINUTES, PROVIDER_SIGN_IN_MINUTES } from '../../keys/accounts/sign-ins.js';
import { createAddressLimit } from '../../server/address-limit.js';
import { PRIVATE_HEADERS } from '../responses.js';

/**
 * Bytes of the largest form: some providers' codes have several thousand characters, and a URL is no longer than this.
 */
export const MAX_FORM_BYTES = 16_384;

/** Whether the request can be a form of the site. Browsers send the Content-Length of a form. */
export function hasForm({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const bytes = Number(headers['content-length']);
  return method === 'POST' && bytes <= MAX_FORM_BYTES && headers['transfer-encoding'] === undefined;
}

/** The texts of all fields of this name. */
export function fields(request: Request, name: string): string[] {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return [value].flat().filter((text) => typeof text === 'string');
}

/** The text of a field; '' if it is missing. */
export function field(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function idIn({ params }: Request): string {
  return typeof params.id === 'string' ? params.id : '';
}

/** To another page, which is then asked for with GET. */
export function move(response: Response, path: string, ...cookies: readonly (readonly [string, string])[]): void {
  const headers = ['location', path, 'cache-control', 'no-store', 'content-length', '0', ...cookies.flat()];
  response.writeHead(303, [...PRIVATE_HEADERS, ...headers]).end();
}

/*
 * The cookies of the site: the token of a session, the attempt whose code is being typed, and the sign-in that is under
 * way at the company's provider. All are for this host alone, for TLS alone, and out of reach for scripts; only on
 * plain loopback, where a person tries the site, are they without TLS and the prefix that asks for it.
 */

export type CookieName = 'session' | 'sign-in' | 'provider-sign-in';

const SECONDS: Readonly<Record<CookieName, number>> = {
  session: LONGEST_SESSION_MS / 1000,
  'sign-in': CODE_MINUTES * 60,
  'provider-sign-in': PROVIDER_SIGN_IN_MINUTES * 60,
};

export class Cookies {
  readonly #prefix: string;

  constructor(private readonly isSecure: boolean) {
    this.#prefix = isSecure ? '__Host-' : '';
  }

  /** The value; '' if there is none. */
  read(request: Request, name: CookieName): string {
    return parseCookie(request.headers.cookie ?? '')[this.#prefix + name] ?? '';
  }

  /** The header that sets it, as name and value; an empty value ends it. */
  header(name: CookieName, value: string): readonly [string, string] {
    const cookie = stringifySetCookie({
      name: this.#prefix + name,
      value,
      path: '/',
      httpOnly: true,
      secure: this.isSecure,
      sameSite: 'lax',
      maxAge: value === '' ? 0 : SECONDS[name],
    });
    return ['set-cookie', cookie];
  }
}

/*
 * Whether a request that changes something comes from a page of ours. Browsers say so twice: in Origin, which has to be
 * our own wherever it is there, and in Sec-Fetch-Site; a request that has neither is refused. What a browser can't be
 * made to send from elsewhere is no danger.
 */

export function isSameOrigin({ headers }: Request, siteUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined && !isOurs(origin, new URL(siteUrl))) return false;
  const site = headers['sec-fetch-site'];
  return site === undefined ? origin !== undefined : site === 'same-origin' || site === 'none';
}

/** A site that a person tries on loopback is reached by several names, `localhost` and `127.0.0.1` among them. */
function isOurs(origin: string, { origin: own, hostname, protocol, port }: URL): boolean {
  if (origin === own) return true;
  if (!isLoopback(hostname) || !URL.canParse(origin)) return false;
  const other = new URL(origin);
  return other.origin === origin && isLoopback(other.hostname) && other.protocol === protocol && other.port === port;
}

/*
 * Rate limits by network address for sending mails, trying codes and creating accounts. The limit of mails per mailbox
 * is a record (accounts/rate-limiter.ts).
 */

export interface AccountLimits {
  /** Each returns the milliseconds to wait, and counts the action if that is 0. */
  mail(address: string | undefined): number;
  guess(address: string | undefined): number;
  signUp(address: string | undefined): number;
  /** Counts the two steps of a sign-in through the provider. */
  provider(address: string | undefined): number;
}

const MINUTE_SECONDS = 60;

export function createAccountLimits(clock: () => number = () => performance.now()): AccountLimits {
  const limit = (secondsEach: number, burst: number) => {
    const { waitMs } = createAddressLimit({ requestsPerSecond: 1 / secondsEach, burst });
    return (address: string | undefined): number => waitMs(address, clock());
  };
  return {
    mail: limit(MINUTE_SECONDS, 10),
    guess: limit(10, 30),
    signUp: limit(20 * MINUTE_SECONDS, 8),
    provider: limit(2, 60),
  };
}
