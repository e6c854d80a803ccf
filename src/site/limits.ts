/** The limits by network address of what costs more than sending bytes that are there. */
import { type AddressLimit, createAddressLimit } from './address-limit.js';

/** What a network address may ask for. */
export interface SiteLimits {
  /** Searches, which take milliseconds. */
  readonly search: AddressLimit;
  /** Pages that are not kept and have to be made, which take some tenths of a millisecond. */
  readonly page: AddressLimit;
}

export function createSiteLimits(): SiteLimits {
  return {
    // Somebody who types fast and thinks little.
    search: createAddressLimit({ requestsPerSecond: 10, burst: 40 }),
    // A crawler in a hurry: 1 % of a processor.
    page: createAddressLimit({ requestsPerSecond: 50, burst: 200 }),
  };
}
