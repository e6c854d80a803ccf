/**
 * Rate limits by network address for sending mails, trying codes and creating accounts. The limit of mails per mailbox
 * is a record (keys/accounts/rate-limiter.ts).
 */

import { createAddressLimit } from '../../server/address-limit.js';

export interface AccountLimits {
  /** Each method returns the milliseconds to wait, and counts the action if these are 0. */
  mail(address: string | undefined): number;
  guess(address: string | undefined): number;
  signUp(address: string | undefined): number;
  /** Counts the two steps of a sign-in through the provider. */
  provider(address: string | undefined): number;
}

const MINUTE_SECONDS = 60;

export function createAccountLimits(clock: () => number = () => performance.now()): AccountLimits {
  const limit = (secondsEach: number, burst: number) => {
    const { waitMs } = createAddressLimit({ requestsPerSecond: 1 / secondsEach, burst });
    return (address: string | undefined): number => waitMs(address, clock());
  };
  return {
    mail: limit(MINUTE_SECONDS, 10),
    guess: limit(10, 30),
    signUp: limit(20 * MINUTE_SECONDS, 8),
    provider: limit(2, 60),
  };
}
