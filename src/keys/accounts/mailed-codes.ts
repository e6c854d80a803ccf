/**
 * Sign-ins by mail, as records of the kind `sign-in`. A mail contains a code to type and a link with a token; either
 * signs in, once, within 15 minutes. The record's id is the id of the attempt, which only the mail and the requesting
 * browser have. The record contains digests of code and token under the secret. Five wrong codes invalidate the code
 * but not the link, so an attacker who requests codes for another address can't lock its owner out.
 */

import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import {
  type RecordChange,
  type RecordStore,
  type StoredRecord,
  untilRecordsUnchanged,
} from '../records/record-store.js';
import { AccountError } from './account-error.js';
import { isRecentWithinTolerance } from './clock-tolerance.js';

const KIND = 'sign-in';
export const CODE_MINUTES = 15;
const LIFETIME_MS = CODE_MINUTES * 60_000;
const TRIES = 5;
/** No vowels, so that codes spell no words, and no letters that look like digits: 27⁸ = 2³⁸ codes. */
const ALPHABET = '23456789BCDFGHJKMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const ATTEMPT_FORM = /^[\w-]{22}$/;

export interface SentCode {
  /** The id of the attempt, for the requesting browser and for the link. */
  readonly attempt: string;
  /** As mailed, `BCDF-2345`. */
  readonly code: string;
  /** 128 random bits, for the link. */
  readonly token: string;
}

/** A successful attempt. The write with `change` uses it up. */
export interface RedeemedCode {
  /** The address that the code was sent to. */
  readonly email: string;
  readonly change: RecordChange;
}

interface Attempt {
  /** The address that the code was sent to. */
  readonly email: string;
  /** The address that was typed: `email`, or another spelling of it. */
  readonly asked: string;
  readonly code: string;
  readonly token: string;
  readonly tries: number;
}

export class SignInCodes {
  constructor(
    private readonly records: RecordStore,
    private readonly secret: string,
  ) {}

  /** A code to be sent to `email`; `asked` is the address that was typed. */
  async create(email: string, asked: string, nowMs: number): Promise<SentCode> {
    const attempt = randomBytes(16).toString('base64url');
    const token = randomBytes(16).toString('base64url');
    const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
    const digests = { code: this.#digest(attempt, code), token: this.#digest(attempt, token) };
    const expiresMs = nowMs + LIFETIME_MS;
    const value: Attempt = { email, asked, ...digests, tries: 0 };
    await this.records.write([{ create: { kind: KIND, id: attempt, value, names: [], expiresMs } }]);
    return { attempt, token, code: `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}` };
  }

  /** The address that was typed for an open attempt; undefined if the attempt has ended. */
  async find(attempt: string, nowMs: number): Promise<string | undefined> {
    const stored = await this.#get(attempt, nowMs);
    return stored && attemptIn(stored).asked;
  }

  /** Rejects with AccountError CODE_GONE or CODE_WRONG, and with KeyStoreError. A wrong code counts as a try. */
  redeem(attempt: string, typed: string, nowMs: number): Promise<RedeemedCode> {
    return untilRecordsUnchanged(async () => {
      const stored = await this.#get(attempt, nowMs);
      if (stored === undefined) throw gone();
      const found = attemptIn(stored);
      if (found.tries >= TRIES) throw gone();
      if (isEqual(found.code, this.#digest(attempt, plainCode(typed)))) {
        return { email: found.email, change: { delete: stored } };
      }
      const left = TRIES - found.tries - 1;
      const value: Attempt = { ...found, tries: found.tries + 1 };
      await this.records.write([{ change: stored, to: { value, names: [], expiresMs: stored.expiresMs } }]);
      throw left > 0
        ? new AccountError('CODE_WRONG', `That is not the code that was sent. ${countTries(left)} left.`)
        : gone();
    });
  }

  /** Redeems the token of the link. Rejects with AccountError CODE_GONE. */
  async redeemLink(attempt: string, token: string, nowMs: number): Promise<RedeemedCode> {
    const stored = await this.#get(attempt, nowMs);
    if (stored === undefined) throw gone();
    const found = attemptIn(stored);
    if (!isEqual(found.token, this.#digest(attempt, token))) throw gone();
    return { email: found.email, change: { delete: stored } };
  }

  /** The record of an attempt of the last 15 minutes, by this clock as well as by the store's. */
  async #get(attempt: string, nowMs: number): Promise<StoredRecord | undefined> {
    const stored = ATTEMPT_FORM.test(attempt) ? await this.records.get(KIND, attempt) : undefined;
    const createdMs = (stored?.expiresMs ?? Number.POSITIVE_INFINITY) - LIFETIME_MS;
    return isRecentWithinTolerance(createdMs, LIFETIME_MS, nowMs) ? stored : undefined;
  }

  #digest(attempt: string, text: string): string {
    return createHmac('sha256', this.secret).update(`sign-in ${attempt} ${text}`).digest('hex');
  }
}

function gone(): AccountError {
  return new AccountError('CODE_GONE', 'This code has been used or has expired, or was mistyped too often.');
}

function countTries(count: number): string {
  return count === 1 ? 'One try is' : `${count} tries are`;
}

/** The letters and digits of the text, in capitals. */
function plainCode(typed: string): string {
  return typed
    .slice(0, 64)
    .toUpperCase()
    .replaceAll(/[^\dA-Z]/g, '');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function attemptIn({ value }: StoredRecord): Attempt {
  const { email, asked, code, token, tries } = value;
  // A damaged record signs nobody in.
  if (![email, asked, code, token].every((text) => typeof text === 'string') || !Number.isSafeInteger(tries))
    throw gone();
  return { email, asked, code, token, tries } as Attempt;
}
