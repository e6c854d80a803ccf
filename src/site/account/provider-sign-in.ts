/**
 * Sign-ins through the company's provider: begins one, and verifies the provider's response, which proves an address at
 * a time. The secrets of a sign-in are a record, so that any process of the site can handle the response.
 */

import { CLOCK_TOLERANCE_MS } from '../../keys/accounts/clock-tolerance.js';
import {
  findProviderSignIn,
  keepProviderSignIn,
  prepareProviderSignInUse,
} from '../../keys/accounts/provider-sign-ins.js';
import { LONGEST_SESSION_MS } from '../../keys/accounts/sessions.js';
import type { RecordChange, RecordStore } from '../../keys/records/record-store.js';
import { createSignInSecrets, ProviderClient, type ProviderOptions } from './provider-client.js';
import { ProviderError } from './provider-error.js';

export interface BegunSignIn {
  /** For a cookie of the browser that began the sign-in. */
  readonly id: string;
  /** The page of the provider at which the sign-in goes on. */
  readonly url: string;
}

export interface ProvedAddress {
  readonly email: string;
  /** When the user last typed the password at the provider; 0 if unknown. */
  readonly provedMs: number;
  /** The change that uses up the sign-in. */
  uses(): Promise<readonly RecordChange[]>;
}

export class Provider {
  readonly #client: ProviderClient;

  constructor(
    /** The name that people know. */
    readonly name: string,
    options: ProviderOptions,
    private readonly records: RecordStore,
    private readonly clock: () => number = Date.now,
  ) {
    this.#client = new ProviderClient(options);
  }

  /**
   * Begins a sign-in whose response comes to `callbackUrl`. A signed-in user, given by `email`, must type the password
   * again.
   */
  async begin(callbackUrl: string, email?: string): Promise<BegunSignIn> {
    const secrets = createSignInSecrets();
    const mustBeFresh = email !== undefined;
    const url = await this.#client.signInUrl(
      callbackUrl,
      secrets,
      mustBeFresh
        ? { maxAgeSeconds: 0, prompt: 'login', loginHint: email }
        : // Providers say when the person proved who they are only where an age is asked for; any age will do.
          { maxAgeSeconds: LONGEST_SESSION_MS / 1000 },
    );
    const id = await keepProviderSignIn(this.records, { ...secrets, mustBeFresh, begunMs: this.clock() });
    return { id, url };
  }

  /**
   * The address that `answer`, the parameters of the callback, proves. The sign-in is not used up yet.
   */
  async prove(id: string, callbackUrl: string, answer: URLSearchParams): Promise<ProvedAddress> {
    const signIn = await findProviderSignIn(this.records, id, this.clock());
    if (signIn === undefined) throw gone();
    const claims = await this.#client.redeem(callbackUrl, answer, signIn);
    const { email, isEmailVerified } = claims;
    const provedMs = this.#trust(claims.provedMs);
    if (typeof email !== 'string' || email === '') {
      throw new ProviderError('ADDRESS_UNVERIFIED', 'the provider tells no address: the claim email is missing');
    }
    if (!isEmailVerified) {
      throw new ProviderError('ADDRESS_UNVERIFIED', 'the claim email_verified is not true');
    }
    if (signIn.mustBeFresh && provedMs < signIn.begunMs - CLOCK_TOLERANCE_MS) {
      throw new ProviderError('NOT_FRESH', 'the claim auth_time is missing, or before the sign-in began');
    }
    return {
      email,
      provedMs,
      uses: async () => {
        const change = await prepareProviderSignInUse(this.records, id);
        if (change === undefined) throw gone();
        return [change];
      },
    };
  }

  /** The provider's time of the last password; 0 if it is in the future, since then a clock is wrong. */
  #trust(provedMs = 0): number {
    const nowMs = this.clock();
    return provedMs - nowMs > CLOCK_TOLERANCE_MS ? 0 : Math.min(provedMs, nowMs);
  }
}

function gone(): ProviderError {
  return new ProviderError('SIGN_IN_GONE', 'the sign-in is not there');
}
