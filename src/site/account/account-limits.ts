/**
 * How often one network address, and the wider network that it belongs to, may do what costs a mail, a guess or an account:
 * in the memory of this process. How much mail goes to one address, whoever asks, is a record (accounts/turns.ts).
 */
import { createAddressLimit, networkOf } from '../address-limit.js';

export interface AccountLimits {
  /** Each gives the milliseconds to wait, and counts where that is 0. */
  mail(address: string): number;
  guess(address: string): number;
  signUp(address: string): number;
  /** Counts the two steps of a sign-in through the provider. */
  provider(address: string): number;
}

const MINUTE_SECONDS = 60;
const MAX_ADDRESSES = 50_000;
/** How much more a whole network may do. */
const NETWORK_FACTOR = 8;

export function createAccountLimits(clock: () => number = () => performance.now()): AccountLimits {
  const limit = (secondsEach: number, burst: number) => {
    const near = createAddressLimit({ requestsPerSecond: 1 / secondsEach, burst }, MAX_ADDRESSES);
    const rate = { requestsPerSecond: NETWORK_FACTOR / secondsEach, burst: burst * NETWORK_FACTOR };
    const wide = createAddressLimit(rate, MAX_ADDRESSES, (address) => networkOf(address, { bytes: 3, groups: 3 }));
    // The wide one first: it keeps the other from forgetting addresses for those of one network.
    return (address: string): number => wide.waitMs(address, clock()) || near.waitMs(address, clock());
  };
  return {
    mail: limit(MINUTE_SECONDS, 10),
    guess: limit(10, 30),
    signUp: limit(20 * MINUTE_SECONDS, 8),
    provider: limit(2, 60),
  };
}
