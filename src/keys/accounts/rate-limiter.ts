/**
 * Limits the rate of an action for one address or account, over all processes, by the rule of base/rate-limit.ts. The
 * arrival time is stored as a record of the kind `rate-limit`. The record's id is a digest under the secret, so it does
 * not reveal the address. The record expires an hour after the limit is idle again.
 */

import { createHmac } from 'node:crypto';
import { arrivalFrom, countAdmissible, intervalMs, untilNextMs } from '../../base/rate-limit.js';
import { CHANGED_OR_EXISTS, type RecordStore, untilUnchanged } from '../records/record-store.js';
import { AccountError } from './account-error.js';

/** For each action: `seconds` between two of them in the long run, and the maximum `burst` after a pause. */
const LIMITS = {
  /** Sending a code to an address that anybody typed. */
  mail: { seconds: 600, burst: 5, message: 'Too many mails were sent to this address.' },
  /** Sending a code to the address of a signed-in user. */
  fresh: { seconds: 600, burst: 5, message: 'Too many mails were sent to this address.' },
  /** Changing or showing a key. */
  act: { seconds: 60, burst: 20, message: 'Too many changes to this account.' },
} as const;
export type LimitedAction = keyof typeof LIMITS;

const KIND = 'rate-limit';
/** Milliseconds for which an idle record is kept: more than the clocks of several machines differ. */
const KEPT_MS = 3_600_000;

export class RateLimiter {
  constructor(
    private readonly records: RecordStore,
    private readonly secret: string,
  ) {}

  /** Counts an action. Rejects with AccountError LIMITED if it is over the limit, and with KeyStoreError. */
  async consume(action: LimitedAction, subject: string, nowMs: number): Promise<void> {
    const { message } = LIMITS[action];
    const rate = rateOf(action);
    await this.#change(action, subject, nowMs, (arrivalMs) => {
      if (countAdmissible(rate, arrivalMs, nowMs) === 0) {
        throw limited(message, untilNextMs(rate, arrivalMs, nowMs));
      }
      return arrivalFrom(rate, arrivalMs, nowMs) + intervalMs(rate);
    });
  }

  /** Takes back an action that was counted and then failed. Rejects with KeyStoreError. */
  async refund(action: LimitedAction, subject: string, nowMs: number): Promise<void> {
    await this.#change(action, subject, nowMs, (arrivalMs) => Math.max(nowMs, arrivalMs - intervalMs(rateOf(action))));
  }

  async #change(
    action: LimitedAction,
    subject: string,
    nowMs: number,
    next: (arrivalMs: number) => number,
  ): Promise<void> {
    const id = createHmac('sha256', this.secret).update(`rate limit ${action} ${subject}`).digest('hex');
    await untilUnchanged(async () => {
      const stored = await this.records.get(KIND, id);
      const kept = stored?.value.arrivalMs;
      const arrivalMs = next(typeof kept === 'number' && Number.isFinite(kept) ? kept : nowMs);
      const content = { value: { arrivalMs }, names: [], expiresMs: Math.ceil(arrivalMs) + KEPT_MS };
      const create = { kind: KIND, id, ...content };
      await this.records.write([stored === undefined ? { create } : { change: stored, to: content }]);
    }, CHANGED_OR_EXISTS);
  }
}

/** The error of an action over its limit. */
export function limited(message: string, waitMs: number): AccountError {
  const seconds = Math.ceil(waitMs / 1000);
  const when = seconds <= 60 ? 'in a minute' : `in ${Math.ceil(seconds / 60)} minutes`;
  return new AccountError('LIMITED', `${message} Please try again ${when}.`, seconds);
}

function rateOf(action: LimitedAction): { readonly requestsPerSecond: number; readonly burst: number } {
  const { seconds, burst } = LIMITS[action];
  return { requestsPerSecond: 1 / seconds, burst };
}
