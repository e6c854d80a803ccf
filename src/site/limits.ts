/** Rate limits by network address, for requests that cost more than sending stored bytes. */
import { type AddressLimit, createAddressLimit } from './address-limit.js';

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
