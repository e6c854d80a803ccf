/**
 * A rate limit by network address: the rule of rate-limit.ts for two networks of each address. The narrow network
 * belongs to one customer: an IPv4 address, or 64 bits of IPv6. The wide network is the largest that a provider usually
 * assigns: 24 bits of IPv4, or 48 bits of IPv6; its limit is WIDE_FACTOR times as high. A request that one of them
 * refuses counts in neither, so one customer can't use up the limit of the neighbours. All state is in the memory of
 * this process.
 */

import { arrivalFrom, countAdmissible, intervalMs, type Rate, untilNextMs } from '../base/rate-limit.js';
import { RecencyMap } from '../base/recency-map.js';
import { CUSTOMER_BYTES, type NetworkBytes, networkOf } from '../server/client-address.js';

/** The limit of a wide network as a multiple of a narrow network's: enough for an office or a school. */
const WIDE_FACTOR = 8;
/**
 * Maximum number of networks of each width that are remembered, some 10 MB; the one seen longest ago is forgotten
 * first.
 */
const MAX_NETWORKS = 50_000;

const WIDE_BYTES: NetworkBytes = { ipv4: 3, ipv6: 6 };

export interface AddressLimit {
  /** Milliseconds that the address must wait; 0 if its request is allowed, which counts it. */
  waitMs(address: string | undefined, nowMs: number): number;
}

export function createAddressLimit(rate: Rate, maxNetworks = MAX_NETWORKS): AddressLimit {
  const wideRate = { requestsPerSecond: rate.requestsPerSecond * WIDE_FACTOR, burst: rate.burst * WIDE_FACTOR };
  const narrow = new NetworkArrivals(rate, maxNetworks);
  const wide = new NetworkArrivals(wideRate, maxNetworks);
  return {
    waitMs(address, nowMs) {
      const [one, all] = [networkOf(address, CUSTOMER_BYTES), wideNetworkOf(address)];
      const waitMs = narrow.waitMs(one, nowMs) || wide.waitMs(all, nowMs);
      if (waitMs > 0) return waitMs;
      narrow.count(one, nowMs);
      wide.count(all, nowMs);
      return 0;
    },
  };
}

/** The wide network that an address belongs to; one for all that is no address. */
export function wideNetworkOf(address: string | undefined): string {
  return networkOf(address, WIDE_BYTES);
}

/** The theoretical arrival time of each network. */
class NetworkArrivals {
  readonly #arrivals: RecencyMap<string, number>;

  constructor(
    private readonly rate: Rate,
    maxNetworks: number,
  ) {
    this.#arrivals = new RecencyMap(maxNetworks);
  }

  waitMs(network: string, nowMs: number): number {
    const arrivalMs = this.#arrivals.get(network) ?? nowMs;
    return countAdmissible(this.rate, arrivalMs, nowMs) > 0 ? 0 : untilNextMs(this.rate, arrivalMs, nowMs);
  }

  count(network: string, nowMs: number): void {
    const arrivalMs = arrivalFrom(this.rate, this.#arrivals.get(network) ?? nowMs, nowMs);
    this.#arrivals.set(network, arrivalMs + intervalMs(this.rate));
  }
}

/* Rate limits by network address, for requests that cost more than sending stored bytes. */

export interface SiteLimits {
  /** Searches, which take milliseconds. */
  readonly search: AddressLimit;
  /** Pages that are not kept and have to be made, which take some tenths of a millisecond. */
  readonly page: AddressLimit;
}

export function createSiteLimits(): SiteLimits {
  return {
    // Allows fast typing with a suggestion for each key stroke.
    search: createAddressLimit({ requestsPerSecond: 10, burst: 40 }),
    // A crawler in a hurry: 1 % of a processor.
    page: createAddressLimit({ requestsPerSecond: 50, burst: 200 }),
  };
}
