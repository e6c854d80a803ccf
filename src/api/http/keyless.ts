/** Requests without a key from networks that need none, limited by the client's address. */

import type { Request } from 'express';
import { oncePer } from '../../base/once-per.js';
import { createRate, type Rate } from '../../base/rate-limit.js';
import { type Admission, rateCostIn } from '../../keys/decision/key-decision.js';
import { monthOf } from '../../keys/key/calendar.js';
import type { Plan } from '../../keys/key/plan.js';
import { createAddressLimit } from '../../server/address-limit.js';
import { clientAddress, hasUnvouchedClients } from '../../server/client-address.js';
import { createNetworkMatcher } from '../../server/networks.js';
import { MAX_LOOKUPS } from '../description/bulk-operation.js';

/** All callers without a key, in place of the id of a key. */
export const KEYLESS = 'keyless';

/**
 * The limit of one address. The burst is a whole bulk request of lookups that count as one each; behind it, 200 requests
 * a second take a third of a processor at most (rate-costs.ts).
 */
export const KEYLESS_RATE = createRate({ requestsPerSecond: 200, burst: MAX_LOOKUPS });

/** Decides on a request without a key; undefined for a client that needs a key. */
export type KeylessGate = (request: Request, cost: number, rateCost: number) => Admission | undefined;

/** `networks` are addresses and subnets. The limits are in the memory of this process. */
export function createKeylessGate(networks: readonly string[]): KeylessGate {
  const isInside = createNetworkMatcher(networks);
  const limit = createAddressLimit(KEYLESS_RATE);
  const planOf = oncePer((rate: Rate): Plan => ({ name: KEYLESS, requestsPerMonth: null, rate }));
  return (request, cost, askedRateCost) => {
    const address = clientAddress(request);
    if (!isInside(address) || hasUnvouchedClients(request)) return undefined;
    const nowMs = Date.now();
    const rateCost = rateCostIn(planOf(KEYLESS_RATE), cost, askedRateCost);
    const { isAllowed, rate, arrivalMs } = limit.consume(address, nowMs, rateCost);
    const moment = { nowMs, month: monthOf(nowMs), before: { used: 0, arrivalMs } };
    const allowedCount = isAllowed ? 1 : 0;
    return { status: 'good', keyId: KEYLESS, plan: planOf(rate), ...moment, allowedCount, cost, rateCost };
  };
}
