/**
 * The visitors of publishable keys that a server process admitted while the store could not be asked. Each process knows
 * only its own, and every visitor starts anew when an outage begins.
 */

import type { VisitorArrivals } from '../caller-decision.js';

/** Maximum number of visitors, some 150 bytes each; those that came first are forgotten first. */
const VISITORS_LIMIT = 20_000;

export class VisitorMemory {
  readonly #arrivals = new Map<string, number>();

  of(keyId: string): VisitorArrivals {
    return {
      read: (visitor) => this.#arrivals.get(keyId + visitor) ?? 0,
      write: (visitor, arrivalMs) => {
        this.#arrivals.set(keyId + visitor, arrivalMs);
        const [first] = this.#arrivals.keys();
        if (this.#arrivals.size > VISITORS_LIMIT && first !== undefined) this.#arrivals.delete(first);
      },
    };
  }
}
