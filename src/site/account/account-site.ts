/** The dependencies of the account pages, created at the start. */
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
