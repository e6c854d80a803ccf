/**
 * A rate limit by network address: the rule of rate-limit.ts for two networks of each address. The narrow network
 * belongs to one customer: an IPv4 address, or 64 bits of IPv6. The wide network is the largest that a provider usually
 * assigns: 24 bits of IPv4, or 48 bits of IPv6; its limit is WIDE_FACTOR times as high. A request that one of them
 * refuses counts in neither, so one customer can't use up the limit of the neighbours. All state is in the memory of
 * this process.
 */

import { arrivalFrom, countAdmissible, createRate, type Rate, type RateLimit, rateWaitMs } from '../base/rate-limit.js';
import { RecencyMap } from '../base/recency-map.js';
import { CUSTOMER_BYTES, networkOf, wideNetworkOf } from './networks.js';

/** The limit of a wide network as a multiple of a narrow network's: enough for an office or a school. */
const WIDE_FACTOR = 8;
/**
 * Maximum number of networks of each width that are remembered, some 10 MB; the one seen longest ago is forgotten
 * first.
 */
const MAX_NETWORKS = 50_000;

export interface AddressLimit {
  /** Milliseconds that the address must wait; 0 if its request is allowed, which counts it. */
  waitMs(address: string | undefined, nowMs: number): number;
  /** Decides on a request of `cost` units, all or none, and counts them if they are allowed. */
  consume(address: string | undefined, nowMs: number, cost: number): Consumed;
}

/** The decision, by the network that refuses or else the narrow one. */
export interface Consumed {
  readonly isAllowed: boolean;
  readonly rate: Rate;
  /** The theoretical arrival time before the request. */
  readonly arrivalMs: number;
}

export function createAddressLimit(limit: RateLimit): AddressLimit {
  const wideLimit = { requestsPerSecond: limit.requestsPerSecond * WIDE_FACTOR, burst: limit.burst * WIDE_FACTOR };
  const narrow = new NetworkArrivals(createRate(limit));
  const wide = new NetworkArrivals(createRate(wideLimit));
  const consume: AddressLimit['consume'] = (address, nowMs, cost) => {
    const [one, all] = [networkOf(address, CUSTOMER_BYTES), wideNetworkOf(address)];
    const ofOne = narrow.judge(one, nowMs, cost);
    const ofAll = wide.judge(all, nowMs, cost);
    if (!ofOne.isAllowed) return ofOne;
    if (!ofAll.isAllowed) return ofAll;
    narrow.count(one, nowMs, cost);
    wide.count(all, nowMs, cost);
    return ofOne;
  };
  return {
    consume,
    waitMs(address, nowMs) {
      const { isAllowed, rate: refusing, arrivalMs } = consume(address, nowMs, 1);
      return isAllowed ? 0 : rateWaitMs(refusing, arrivalMs, nowMs);
    },
  };
}

/** The theoretical arrival time of each network. */
class NetworkArrivals {
  readonly #arrivals = new RecencyMap<string, number>(MAX_NETWORKS);

  constructor(private readonly rate: Rate) {}

  judge(network: string, nowMs: number, cost: number): Consumed {
    const arrivalMs = this.#arrivals.get(network) ?? nowMs;
    return { isAllowed: countAdmissible(this.rate, arrivalMs, nowMs) >= cost, rate: this.rate, arrivalMs };
  }

  count(network: string, nowMs: number, cost: number): void {
    if (cost === 0) return;
    const arrivalMs = arrivalFrom(this.rate, this.#arrivals.get(network) ?? nowMs, nowMs);
    this.#arrivals.set(network, arrivalMs + cost * this.rate.intervalMs);
  }
}
