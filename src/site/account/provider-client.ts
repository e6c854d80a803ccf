/**
 * The OpenID Connect client of the site: the authorization code flow with PKCE, state and nonce. The provider's
 * metadata are fetched at the first use and kept; a failed fetch is repeated at the next use. An ID token counts only
 * if the provider signed it for this client and this sign-in. Each step of a sign-in has a deadline, and reads at most
 * a megabyte of each response.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type UserInfoResponse,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { ProviderError } from './provider-error.js';

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Secrets that the provider's response to a sign-in must match. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Parameters of a sign-in at the provider. */
export interface SignInWishes {
  readonly maxAgeSeconds: number;
  readonly prompt?: 'login';
  readonly loginHint?: string;
}

/** The provider's claims about a user. */
export interface ProviderClaims {
  readonly email: unknown;
  readonly isEmailVerified: boolean;
  /** When the person last typed a password or the like at the provider; undefined where the provider does not say. */
  readonly provedMs: number | undefined;
}

export function createSignInSecrets(): SignInSecrets {
  return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
}

/**
 * Milliseconds for one step of a sign-in: at most three requests, of which each takes a second where providers are
 * slow.
 */
const STEP_MS = 15_000;
/** Bytes of one answer, after decompression. Metadata, keys and tokens of large providers take some 20 kB. */
const ANSWER_BYTES_LIMIT = 1_000_000;
/** Error codes of openid-client for a response that does not belong to the request. */
const WRONG_ANSWERS = new Set(
  ['INVALID_RESPONSE', 'JWT_CLAIM_COMPARISON_FAILED', 'JWT_TIMESTAMP_CHECK_FAILED'].map((code) => `OAUTH_${code}`),
);

export class ProviderClient {
  #configuration: Promise<Configuration> | undefined;

  constructor(private readonly options: ProviderOptions) {}

  /** Runs a step of a sign-in; all its requests share one deadline. */
  #step<T>(run: () => Promise<T>): Promise<T> {
    return deadline.run(AbortSignal.timeout(STEP_MS), run);
  }

  /**
   * The URL for the browser. The provider asks for the password again if the last one was typed `maxAgeSeconds` ago,
   * and reports when that was.
   */
  signInUrl(callbackUrl: string, secrets: SignInSecrets, more: SignInWishes): Promise<string> {
    return this.#step(() => this.#signInUrl(callbackUrl, secrets, more));
  }

  async #signInUrl(
    callbackUrl: string,
    { state, nonce, verifier }: SignInSecrets,
    { maxAgeSeconds, prompt, loginHint }: SignInWishes,
  ): Promise<string> {
    const configuration = await this.#configure();
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: callbackUrl,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      max_age: String(maxAgeSeconds),
      ...(prompt && { prompt }),
      ...(loginHint && { login_hint: loginHint }),
    });
    return url.href;
  }

  /**
   * Exchanges the code in `answer`, the parameters of the callback, for the provider's claims about the user.
   */
  redeem(callbackUrl: string, answer: URLSearchParams, secrets: SignInSecrets): Promise<ProviderClaims> {
    return this.#step(() => this.#redeem(callbackUrl, answer, secrets));
  }

  async #redeem(callbackUrl: string, answer: URLSearchParams, secrets: SignInSecrets): Promise<ProviderClaims> {
    const configuration = await this.#configure();
    const { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier } = secrets;
    const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
    const url = new URL(`${callbackUrl}?${answer}`);
    const tokens = await authorizationCodeGrant(configuration, url, checks).catch(refuseAnswer);
    const claims = tokens.claims();
    if (claims === undefined) throw new ProviderError('ANSWER_WRONG', 'the answer has no ID token');
    const { email, email_verified } = await personOf(configuration, claims, tokens.access_token);
    return {
      email,
      isEmailVerified: email_verified === true,
      provedMs: claims.auth_time === undefined ? undefined : Math.floor(claims.auth_time * 1000),
    };
  }

  /** Requests at the same time share one fetch. */
  #configure(): Promise<Configuration> {
    this.#configuration ??= discover(this.options).catch((error) => {
      this.#configuration = undefined;
      const cause = causeOf(error);
      if (cause instanceof ProviderError) throw cause;
      throw new ProviderError('PROVIDER_FAILED', `its metadata can't be used: ${reasonOf(error)}`, { cause: error });
    });
    return this.#configuration;
  }
}

async function discover({ issuer, clientId, clientSecret }: ProviderOptions): Promise<Configuration> {
  const server = new URL(issuer);
  // The settings allow http for a provider on loopback alone.
  const isInsecure = server.protocol === 'http:';
  const configuration = await discovery(server, clientId, {}, authenticateWith(clientSecret), {
    execute: [enableNonRepudiationChecks, ...(isInsecure ? [allowInsecureRequests] : [])],
    [customFetch]: fetchFromProvider,
  });
  // Throws where the metadata name no place to sign in.
  buildAuthorizationUrl(configuration, {});
  return configuration;
}

/** Basic authentication, which every provider must know, unless its metadata list other methods (RFC 6749, 2.3.1). */
function authenticateWith(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, ...rest);
  };
}

/** The deadline of the current step. */
const deadline = new AsyncLocalStorage<AbortSignal>();

/** Makes a ProviderError of a failed network: fetch throws a TypeError for it as for a defect of ours. */
const fetchFromProvider: CustomFetch = async (url, options) => {
  const signals = [options.signal, deadline.getStore()].filter((signal) => signal !== undefined);
  try {
    const response = await fetch(url, { ...(options as RequestInit), signal: AbortSignal.any(signals) });
    return await withWholeBody(response);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new ProviderError('PROVIDER_FAILED', `it can't be reached: ${reasonOf(error)}`, { cause: error });
  }
};

/** The response with its whole body in memory; the connection is closed if the body is too long. */
async function withWholeBody(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    byteCount += chunk.byteLength;
    if (byteCount > ANSWER_BYTES_LIMIT) {
      throw new ProviderError('PROVIDER_FAILED', `its answer is longer than ${ANSWER_BYTES_LIMIT} bytes`);
    }
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
}

/**
 * Most providers give the claims of the scope `email` only at the userinfo endpoint (OpenID Connect Core 1.0, 5.4).
 */
async function personOf(configuration: Configuration, claims: IDToken, token: string): Promise<UserInfoResponse> {
  const isTold = claims.email !== undefined && claims.email_verified !== undefined;
  if (isTold || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  return await fetchUserInfo(configuration, token, claims.sub).catch((error) => {
    // A provider that sees a code a second time revokes the tokens that it gave for the code (RFC 6749, 4.1.2).
    if (!(error instanceof WWWAuthenticateChallengeError)) return refuseAnswer(error);
    throw new ProviderError('SIGN_IN_GONE', 'it has taken back its token', { cause: error });
  });
}

function refuseAnswer(error: unknown): never {
  const cause = causeOf(error);
  if (cause instanceof ProviderError) throw cause;
  const saying = error instanceof ResponseBodyError ? error.error : undefined;
  if (error instanceof WWWAuthenticateChallengeError || saying === 'invalid_client') {
    const message = 'it does not know the client: look at OIDC_CLIENT_ID and OIDC_CLIENT_SECRET';
    throw new ProviderError('PROVIDER_FAILED', message, { cause: error });
  }
  if (error instanceof ResponseBodyError) {
    // The code was used, has expired, or was given for another sign-in.
    const code = saying === 'invalid_grant' ? 'SIGN_IN_GONE' : 'PROVIDER_FAILED';
    throw new ProviderError(code, `it answers ${saying}: ${error.error_description ?? ''}`, { cause: error });
  }
  if (!(error instanceof ClientError)) throw error;
  const code = WRONG_ANSWERS.has(error.code ?? '') ? 'ANSWER_WRONG' : 'PROVIDER_FAILED';
  throw new ProviderError(code, reasonOf(error), { cause: error });
}

/** The messages of an error and of its causes, without which errors of fetch and openid-client say little. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
  const said = [message, code].find((text) => typeof text === 'string' && text !== '');
  const cause = causeOf(error);
  return [said, cause && reasonOf(cause)].filter(Boolean).join(': ');
}

/** The cause of an error of openid-client may also be a part of a response. */
function causeOf(error: unknown): object | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return typeof cause === 'object' && cause !== null && 'message' in cause ? cause : undefined;
}
