/**
 * How often mail is sent to one address, whoever asks: the rule of rate-limit.ts, its one number kept as a record of the
 * kind `mail`, so that all sites on one store and every restart of them go by it. The record is named by a digest of the
 * address, and is gone an hour after it would be idle.
 */
import { hash } from 'node:crypto';
import { arrivalFrom, countAdmissible, intervalMs, untilNextMs } from '../keys/rate-limit.js';
import { CHANGED_OR_EXISTS, type RecordStore, untilUnchanged } from '../records/record-store.js';
import { AccountError } from './account-error.js';

const KIND = 'mail';
/** Five at once, and then one every ten minutes. */
const RATE = { requestsPerSecond: 1 / 600, burst: 5 };
const KEPT_MS = 3_600_000;

/** Counts one mail. Rejects with AccountError MAIL_LIMITED where it must not be sent now, and with KeyStoreError. */
export async function countMail(records: RecordStore, email: string, nowMs: number): Promise<void> {
  const id = hash('sha256', email, 'hex');
  await untilUnchanged(async () => {
    const stored = await records.get(KIND, id);
    const kept = stored?.value.arrivalMs;
    const arrivalMs = typeof kept === 'number' && Number.isFinite(kept) ? kept : nowMs;
    if (countAdmissible(RATE, arrivalMs, nowMs) === 0) {
      const seconds = Math.ceil(untilNextMs(RATE, arrivalMs, nowMs) / 1000);
      const minutes = Math.ceil(seconds / 60);
      const message = `Too many mails went to this address lately. The next can be sent in ${minutes} minutes.`;
      throw new AccountError('MAIL_LIMITED', message, seconds);
    }
    const next = arrivalFrom(RATE, arrivalMs, nowMs) + intervalMs(RATE);
    const content = { value: { arrivalMs: next }, names: [], expiresMs: Math.ceil(next) + KEPT_MS };
    const change = stored === undefined ? { create: { kind: KIND, id, ...content } } : { change: stored, to: content };
    await records.write([change]);
  }, CHANGED_OR_EXISTS);
}
