/**
 * Limits the rate of an action for one address or account, over all processes, by the rule of base/rate-limit.ts. The
 * arrival time is stored as a record of the kind `rate-limit`. The record's id is a digest under the secret, so it does
 * not reveal the address. The record expires an hour after the limit is idle again.
 */

import { createHmac } from 'node:crypto';
import { arrivalFrom, countAdmissible, createRate, rateWaitMs } from '../../base/rate-limit.js';
import { CHANGED_OR_EXISTS, type RecordStore, untilRecordsUnchanged } from '../records/record-store.js';
import { accountLimitedError } from './account-error.js';

/** Of each action one in `seconds` in the long run, and at most `burst` after a pause. */
function limit(seconds: number, burst: number, message: string) {
  return { rate: createRate({ requestsPerSecond: 1 / seconds, burst }), message };
}

const LIMITS = {
  /** Sending a code to an address that anybody typed. */
  mail: limit(600, 5, 'Too many mails were sent to this address.'),
  /** Sending a code to the address of a signed-in user. */
  fresh: limit(600, 5, 'Too many mails were sent to this address.'),
  /** Changing or showing a key. */
  act: limit(60, 20, 'Too many changes to this account.'),
};
export type LimitedAction = keyof typeof LIMITS;

const KIND = 'rate-limit';
/** Milliseconds for which an idle record is kept: more than the clocks of several machines differ. */
const KEPT_MS = 3_600_000;

export class RateLimiter {
  constructor(
    private readonly records: RecordStore,
    private readonly secret: string,
  ) {}

  /** Counts an action. Rejects with AccountError LIMITED if it is over the limit. */
  async consume(action: LimitedAction, subject: string, nowMs: number): Promise<void> {
    const { rate, message } = LIMITS[action];
    await this.#change(action, subject, nowMs, (arrivalMs) => {
      if (countAdmissible(rate, arrivalMs, nowMs) === 0) {
        throw accountLimitedError(message, rateWaitMs(rate, arrivalMs, nowMs));
      }
      return arrivalFrom(rate, arrivalMs, nowMs) + rate.intervalMs;
    });
  }

  /** Takes back an action that was counted and then failed. */
  async refund(action: LimitedAction, subject: string, nowMs: number): Promise<void> {
    await this.#change(action, subject, nowMs, (arrivalMs) =>
      Math.max(nowMs, arrivalMs - LIMITS[action].rate.intervalMs),
    );
  }

  async #change(
    action: LimitedAction,
    subject: string,
    nowMs: number,
    next: (arrivalMs: number) => number,
  ): Promise<void> {
    const id = createHmac('sha256', this.secret).update(`rate limit ${action} ${subject}`).digest('hex');
    await untilRecordsUnchanged(async () => {
      const stored = await this.records.get(KIND, id);
      const kept = stored?.value.arrivalMs;
      const arrivalMs = next(typeof kept === 'number' && Number.isFinite(kept) ? kept : nowMs);
      const content = { value: { arrivalMs }, names: [], expiresMs: Math.ceil(arrivalMs) + KEPT_MS };
      const create = { kind: KIND, id, ...content };
      await this.records.write([stored === undefined ? { create } : { change: stored, to: content }]);
    }, CHANGED_OR_EXISTS);
  }
}
