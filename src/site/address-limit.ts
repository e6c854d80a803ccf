/**
 * A rate limit by network address: the rule of key-decision.ts for two networks of each address. The narrow network
 * belongs to one customer: an IPv4 address, or 64 bits of IPv6. The wide network is the largest that a provider usually
 * assigns: 24 bits of IPv4, or 48 bits of IPv6; its limit is WIDE_FACTOR times as high. A request that one of them
 * refuses counts in neither, so one customer can't use up the limit of the neighbours. All state is in the memory of
 * this process.
 */

import { arrivalFrom, countAdmissible, intervalMs, untilNextMs } from '../keys/key-decision.js';
import type { Rate } from '../keys/plan.js';
import { CUSTOMER_BYTES, type NetworkBytes, networkOf } from '../server/client-address.js';

/*
 * A Map whose entries are in the order of their last `set`, for a cache that removes what was used longest ago. One
 * iterator finds the oldest entries: an iterator that starts anew walks over all entries that were removed since the
 * Map last grew, 13 µs in a Map of 50,000. But V8 keeps every table that a Map outgrows as long as an iterator stands in
 * it, so the iterator is replaced after as many calls of `set` as the Map has entries: both costs stay constant for
 * each call.
 */

export class RecencyMap<Key, Value> {
  readonly #map = new Map<Key, Value>();
  #entries = this.#map.entries();
  /** Calls of `set` since the iterator was made. */
  #setCount = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  /** Puts the entry behind all others, whether its key is new or not. */
  set(key: Key, value: Value): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (++this.#setCount > this.#map.size) this.#startAnew();
  }

  /** Removes the oldest entry and returns it; undefined if the Map is empty. */
  removeOldest(): readonly [Key, Value] | undefined {
    let next = this.#entries.next();
    if (next.done === true) {
      // An iterator that has ended stays at its end.
      this.#startAnew();
      next = this.#entries.next();
    }
    if (next.done === true) return undefined;
    this.#map.delete(next.value[0]);
    return next.value;
  }

  #startAnew(): void {
    this.#entries = this.#map.entries();
    this.#setCount = 0;
  }
}

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
  readonly #arrivals = new RecencyMap<string, number>();

  constructor(
    private readonly rate: Rate,
    private readonly maxNetworks: number,
  ) {}

  waitMs(network: string, nowMs: number): number {
    const arrivalMs = this.#arrivals.get(network) ?? nowMs;
    return countAdmissible(this.rate, arrivalMs, nowMs) > 0 ? 0 : untilNextMs(this.rate, arrivalMs, nowMs);
  }

  count(network: string, nowMs: number): void {
    const arrivalMs = arrivalFrom(this.rate, this.#arrivals.get(network) ?? nowMs, nowMs);
    this.#arrivals.set(network, arrivalMs + intervalMs(this.rate));
    if (this.#arrivals.size > this.maxNetworks) this.#arrivals.removeOldest();
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
