/**
 * Opens the dependencies of the account pages: the key store, the mailer and the company's provider. If a setting is
 * missing, the site starts without accounts and logs the missing settings. The site starts even if the provider is
 * down.
 */

import { explainStartErrors, InvalidValueError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { isLoopback } from '../../base/private-addresses.js';
import { DeveloperActions } from '../../keys/accounts/developer-actions.js';
import { openKeyStore } from '../../keys/decision/open-key-store.js';
import { createPlanFinder, type PlanFinder } from '../../keys/key/plan.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import type { WaitLimits } from '../../keys/storage/redis-wait.js';
import { type AccountLimits, createAccountLimits } from './account-rate-limits.js';
import type { AccountSettings } from './account-settings.js';
import { Cookies } from './cookies.js';
import { createSmtpMailer, createTerminalMailer, type Mailer } from './mailer.js';
import type { ProviderOptions } from './provider-client.js';
import { Provider } from './provider-sign-in.js';

export interface AccountSite {
  readonly accounts: DeveloperActions;
  readonly planOf: PlanFinder;
  /** Undefined without mail; then `provider` is set. */
  readonly mailer: Mailer | undefined;
  /** The company's provider; undefined without one; then `mailer` is set. */
  readonly provider: Provider | undefined;
  readonly cookies: Cookies;
  readonly limits: AccountLimits;
  /** Maximum time that a request waits for Redis. */
  readonly waitLimits: WaitLimits;
  readonly clock: () => number;
}

export interface OpenedAccounts {
  readonly site: AccountSite;
  close(): Promise<void>;
}

/** The terminal of the program, on which codes may be printed. */
export interface Terminal {
  readonly isTerminal: boolean;
  write(text: string): void;
}

export interface AccountsOrWhatIsMissing {
  /** Undefined without accounts. */
  readonly opened: OpenedAccounts | undefined;
  /** Variables that must be set for sign-in; empty where accounts are open or turned off. */
  readonly missing: readonly string[];
}

export async function openAccounts(
  settings: { readonly accounts: AccountSettings; readonly siteUrl: string | null; readonly host: string },
  logger: Logger,
  terminal: Terminal,
): Promise<AccountsOrWhatIsMissing> {
  const { accounts: options, siteUrl, host } = settings;
  if (!options.isOn) return { opened: undefined, missing: [] };
  if (options.mailUrl !== null && options.mailFrom === null) {
    throw new InvalidValueError('MAIL_FROM must be set where MAIL_URL is: mail servers want to know who sends');
  }
  const isSecure = siteUrl?.startsWith('https:') ?? false;
  const isAtHome = isLoopback(siteUrl === null ? host : new URL(siteUrl).hostname);
  const providerOptions = readProviderOptions(options);
  const mailer = chooseMailer(options, isLoopback(host) ? terminal : undefined);
  const { keySecret } = options;
  const missing = [
    keySecret === null && 'KEY_SECRET',
    mailer === undefined && providerOptions === undefined && 'MAIL_URL and MAIL_FROM',
    !isSecure && !isAtHome && 'SITE_URL with https',
  ].filter((name) => name !== false);
  if (keySecret === null || missing.length > 0) {
    await mailer?.close();
    return { opened: undefined, missing };
  }
  const variable = options.redis === null ? 'KEYS_DIR' : 'REDIS_URL';
  const store = await explainStartErrors(variable, [KeyStoreError], () => openKeyStore(options, logger));
  const { keysPerAccount, domains } = options;
  const site: AccountSite = {
    accounts: new DeveloperActions(store, { keySecret, keysPerAccount, domains }),
    planOf: createPlanFinder(options.plans),
    mailer,
    provider:
      providerOptions &&
      new Provider(options.oidcName ?? new URL(providerOptions.issuer).host, providerOptions, store.records),
    cookies: new Cookies(isSecure),
    limits: createAccountLimits(),
    waitLimits: waitLimitsOf(options.redisTimeoutMs),
    clock: Date.now,
  };
  const close = async (): Promise<void> => {
    await mailer?.close();
    await store.close();
  };
  return { opened: { site, close }, missing };
}

/**
 * A page comes within twice REDIS_TIMEOUT_MS, of which a tenth is left for rendering. A change asks Redis up to 17
 * times in a row, so the limit is met while each answer takes a tenth of REDIS_TIMEOUT_MS, 25 ms by default.
 */
export function waitLimitsOf(redisTimeoutMs: number): WaitLimits {
  return { answerMs: redisTimeoutMs, requestMs: 1.8 * redisTimeoutMs };
}

/** Undefined without a provider. */
function readProviderOptions(options: AccountSettings): ProviderOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = options;
  if (issuer !== null && clientId !== null && clientSecret !== null) return { issuer, clientId, clientSecret };
  const missing = [
    issuer === null && 'OIDC_ISSUER',
    clientId === null && 'OIDC_CLIENT_ID',
    clientSecret === null && 'OIDC_CLIENT_SECRET',
  ].filter((variable) => variable !== false);
  if (missing.length === 3) return undefined;
  throw new InvalidValueError(
    `${missing.join(' and ')} must be set too: a provider is OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
  );
}

/** The operator's mail server or, without one, the terminal. */
function chooseMailer({ mailUrl, mailFrom }: AccountSettings, terminal: Terminal | undefined): Mailer | undefined {
  if (mailUrl !== null && mailFrom !== null) return createSmtpMailer(mailUrl, mailFrom);
  return terminal?.isTerminal ? createTerminalMailer((text) => terminal.write(text)) : undefined;
}
