/** What the pages of accounts need; made once, at the start. */
import type { Accounts } from '../../accounts/accounts.js';
import type { PlanFinder } from '../../keys/plan.js';
import type { WaitLimits } from '../../storage/redis/wait-budget.js';
import type { AccountLimits } from './account-limits.js';
import type { Cookies } from './cookies.js';
import type { Mailer } from './mailer.js';
import type { Provider } from './provider.js';

export interface AccountSite {
  readonly accounts: Accounts;
  readonly planOf: PlanFinder;
  /** Undefined where no mail can be sent: then all sign in through the provider. */
  readonly mailer: Mailer | undefined;
  /** The company's provider; undefined where all sign in by a code. One of the two is there. */
  readonly provider: Provider | undefined;
  readonly cookies: Cookies;
  readonly limits: AccountLimits;
  /** How long a request waits for Redis. */
  readonly waitLimits: WaitLimits;
  readonly clock: () => number;
}
