/**
 * The cookies of the site: the token of a session, the attempt whose code is being typed, and the sign-in that is under
 * way at the company's provider. All are for this host alone, for TLS alone, and out of reach for scripts; only on
 * plain loopback, where a person tries the site, are they without TLS and the prefix that asks for it.
 */

import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';
import { CODE_MINUTES } from '../../keys/accounts/mailed-codes.js';
import { PROVIDER_SIGN_IN_MINUTES } from '../../keys/accounts/provider-sign-ins.js';
import { LONGEST_SESSION_MS } from '../../keys/accounts/sessions.js';

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
