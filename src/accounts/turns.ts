/**
 * How often something may be done for one address or one account, whoever asks and in whatever process: the rule of
 * rate-limit.ts, its one number kept as a record of the kind `turn`. The record is named by a digest under the secret, so it
 * tells nothing of the address, and it is gone an hour after it would be idle.
 */
import { createHmac } from 'node:crypto';
import { arrivalFrom, countAdmissible, intervalMs, untilNextMs } from '../keys/rate-limit.js';
import { CHANGED_OR_EXISTS, type RecordStore, untilUnchanged } from '../records/record-store.js';
import { AccountError } from './account-error.js';

/** One turn in so many seconds, and so many at once. */
const TURNS = {
  /** Codes sent to an address, asked for by anybody. */
  mail: { seconds: 600, burst: 5, message: 'Too many mails were sent to this address.' },
  /** Codes sent to the address of an account, asked for by somebody who is signed in to it. */
  fresh: { seconds: 600, burst: 5, message: 'Too many mails were sent to this address.' },
  /** What changes or shows a key of an account. */
  act: { seconds: 60, burst: 20, message: 'Too many changes to this account.' },
} as const;
export type TurnKind = keyof typeof TURNS;

const KIND = 'turn';
const KEPT_MS = 3_600_000;

export class Turns {
  constructor(
    private readonly records: RecordStore,
    private readonly secret: string,
  ) {}

  /** Takes a turn. Rejects with AccountError LIMITED where there is none now, and with KeyStoreError. */
  async take(kind: TurnKind, subject: string, nowMs: number): Promise<void> {
    const { message } = TURNS[kind];
    const rate = rateOf(kind);
    await this.#change(kind, subject, nowMs, (arrivalMs) => {
      if (countAdmissible(rate, arrivalMs, nowMs) === 0) {
        throw limited(message, untilNextMs(rate, arrivalMs, nowMs));
      }
      return arrivalFrom(rate, arrivalMs, nowMs) + intervalMs(rate);
    });
  }

  /** Gives a turn back that came to nothing. Rejects with KeyStoreError. */
  async giveBack(kind: TurnKind, subject: string, nowMs: number): Promise<void> {
    await this.#change(kind, subject, nowMs, (arrivalMs) => Math.max(nowMs, arrivalMs - intervalMs(rateOf(kind))));
  }

  async #change(kind: TurnKind, subject: string, nowMs: number, next: (arrivalMs: number) => number): Promise<void> {
    const id = createHmac('sha256', this.secret).update(`turn ${kind} ${subject}`).digest('hex');
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

/** The error of somebody who has to wait. */
export function limited(message: string, waitMs: number): AccountError {
  const seconds = Math.ceil(waitMs / 1000);
  const when = seconds <= 60 ? 'in a minute' : `in ${Math.ceil(seconds / 60)} minutes`;
  return new AccountError('LIMITED', `${message} Please try again ${when}.`, seconds);
}

function rateOf(kind: TurnKind): { readonly requestsPerSecond: number; readonly burst: number } {
  const { seconds, burst } = TURNS[kind];
  return { requestsPerSecond: 1 / seconds, burst };
}
