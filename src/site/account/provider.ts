/**
 * Sign-in through the company's provider: begins a sign-in, and tells from the provider's answer whose address was
 * proved and when. What the answer must fit is kept as a record, so that another process of the site can take the
 * answer, and nobody else's answer fits.
 */
import { CLOCK_TOLERANCE_MS } from '../../accounts/freshness.js';
import { findProviderSignIn, keepProviderSignIn, prepareProviderSignInUse } from '../../accounts/provider-sign-ins.js';
import { LONGEST_SESSION_MS } from '../../accounts/sessions.js';
import type { RecordChange, RecordStore } from '../../records/record-store.js';
import { createSignInSecrets, ProviderClient, type ProviderOptions } from './provider-client.js';
import { ProviderError } from './provider-error.js';

export interface BegunSignIn {
  /** For the cookie of the browser that began. */
  readonly id: string;
  /** At the provider. */
  readonly url: string;
}

export interface ProvedAddress {
  readonly email: string;
  /** When the person last proved to the provider who they are; 0 where the provider does not say. */
  readonly provedMs: number;
  /** Uses the sign-in up. Rejects with ProviderError SIGN_IN_GONE where that was done. */
  uses(): Promise<readonly RecordChange[]>;
}

export class Provider {
  readonly #client: ProviderClient;

  constructor(
    /** As people know it. */
    readonly name: string,
    options: ProviderOptions,
    private readonly records: RecordStore,
    private readonly clock: () => number = Date.now,
  ) {
    this.#client = new ProviderClient(options);
  }

  /**
   * Begins a sign-in whose answer comes to `callbackUrl`. Where the person is signed in already, as `email`, they have
   * to prove anew who they are. Rejects with ProviderError PROVIDER_FAILED and with KeyStoreError.
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
   * The address that the provider's answer proves, the callback's parameters. The sign-in is not used up yet. Rejects
   * with ProviderError and with KeyStoreError.
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

  /**
   * When the person proved who they are, as the provider says; a time in the future is a wrong clock, and tells
   * nothing.
   */
  #trust(provedMs = 0): number {
    const nowMs = this.clock();
    return provedMs - nowMs > CLOCK_TOLERANCE_MS ? 0 : Math.min(provedMs, nowMs);
  }
}

function gone(): ProviderError {
  return new ProviderError('SIGN_IN_GONE', 'the sign-in is not there');
}
