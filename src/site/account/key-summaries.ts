/**
 * What the reference shows of the reader's account: the valid secret keys, each with its plan in a sentence. A
 * publishable key is left out, since it is bound to other origins than the site's.
 */

import { isAccountKeyOfKind } from '../../keys/accounts/account-keys.js';
import { monthOf } from '../../keys/key/calendar.js';
import type { KeyEntry } from '../../keys/key/key-directory.js';
import { hasGoodKeyStatus } from '../../keys/key/key-status.js';
import type { Plan, PlanFinder } from '../../keys/key/plan.js';
import { formatCounted, formatNumber } from '../html/formats.js';

export interface KeySummary {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
}

export function summarizeKeys(keys: readonly KeyEntry[], planOf: PlanFinder, nowMs: number): KeySummary[] {
  const month = monthOf(nowMs);
  return keys
    .filter(
      ({ record }) => isAccountKeyOfKind(record, false) && record.state === 'active' && hasGoodKeyStatus(record, nowMs),
    )
    .map(({ record: { id, name, plan }, usage }) => ({
      ...{ id, name },
      plan: describePlan(plan, planOf(plan), usage.months.get(month.name) ?? 0),
    }));
}

/** Such as "free: 10,000 requests a month, of which 12 are used; 50 a second, 100 at once". */
function describePlan(name: string, { requestsPerMonth, rate }: Plan, used: number): string {
  const month =
    requestsPerMonth === null
      ? `any number of requests a month, ${formatNumber(used)} so far`
      : `${formatCounted(requestsPerMonth, 'request')} a month, ${formatNumber(used)} of them used`;
  const speed =
    rate === null
      ? 'at any rate'
      : `${formatNumber(rate.requestsPerSecond)} a second, ${formatNumber(rate.burst)} at once`;
  return `${name}: ${month}; ${speed}`;
}
