/**
 * Opens what the pages of accounts need: the key store, and the way on which codes are sent. Where something is missing the
 * site goes on without accounts, and says what is missing when it starts.
 */
import { Accounts } from '../../accounts/accounts.js';
import { openKeyStore } from '../../keys/open-key-store.js';
import { createPlanFinder } from '../../keys/plan.js';
import type { Logger } from '../../logger.js';
import { explain, StartError } from '../../serving/start-error.js';
import { KeyStoreError } from '../../storage/key-store-error.js';
import type { SiteSettings } from '../site-settings.js';
import { createAccountLimits } from './account-limits.js';
import type { AccountSite } from './account-router.js';
import { Cookies } from './cookies.js';
import { createSmtpMailer, createTerminalMailer, type Mailer } from './mailer.js';

export interface OpenedAccounts {
  readonly site: AccountSite;
  close(): Promise<void>;
}

/** Where codes may be shown to who reads the program's own output. */
export interface Terminal {
  readonly isTerminal: boolean;
  write(text: string): void;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

export interface AccountsOrWhatIsMissing {
  /** Undefined where nobody can sign in. */
  readonly opened: OpenedAccounts | undefined;
  /** What has to be set for people to sign in; empty where there are accounts, or are not to be. */
  readonly missing: readonly string[];
}

/** Throws StartError where the key store can't be opened. */
export async function openAccounts(
  settings: SiteSettings,
  logger: Logger,
  terminal: Terminal,
): Promise<AccountsOrWhatIsMissing> {
  const { accounts: options, siteUrl, host } = settings;
  if (!options.isOn) return { opened: undefined, missing: [] };
  if (options.mailUrl !== null && options.mailFrom === null) {
    throw new StartError('MAIL_FROM must be set where MAIL_URL is: mail servers want to know who sends');
  }
  const isSecure = siteUrl?.startsWith('https:') ?? false;
  const isAtHome = LOOPBACK.test(siteUrl === null ? host : new URL(siteUrl).hostname);
  const mailer = chooseMailer(options, LOOPBACK.test(host) ? terminal : undefined);
  const { keySecret } = options;
  const missing = [
    keySecret === null && 'KEY_SECRET',
    mailer === undefined && 'MAIL_URL and MAIL_FROM',
    !isSecure && !isAtHome && 'SITE_URL with https',
  ].filter((name) => name !== false);
  if (keySecret === null || mailer === undefined || missing.length > 0) {
    mailer?.close();
    return { opened: undefined, missing };
  }
  const variable = options.redis === null ? 'KEYS_DIR' : 'REDIS_URL';
  const store = await explain(variable, [KeyStoreError], () => openKeyStore(options, logger));
  const { keysPerAccount, domains } = options;
  const site: AccountSite = {
    accounts: new Accounts(store, { keySecret, keysPerAccount, domains }),
    keysPerAccount,
    planOf: createPlanFinder(options.plans),
    mailer,
    cookies: new Cookies(isSecure),
    limits: createAccountLimits(),
    clock: Date.now,
  };
  const close = async (): Promise<void> => {
    mailer.close();
    await store.close();
  };
  return { opened: { site, close }, missing };
}

/** The operator's mail server or, without one, the terminal on which somebody tries the site. */
function chooseMailer(
  { mailUrl, mailFrom }: SiteSettings['accounts'],
  terminal: Terminal | undefined,
): Mailer | undefined {
  if (mailUrl !== null && mailFrom !== null) return createSmtpMailer(mailUrl, mailFrom);
  return terminal?.isTerminal ? createTerminalMailer((text) => terminal.write(text)) : undefined;
}
