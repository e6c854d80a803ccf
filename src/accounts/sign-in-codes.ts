/**
 * Codes that are sent to an address and typed back, as records of the kind `sign-in`. A record is found by the id of the
 * attempt, which only the browser that asked has, and the link in the mail; of the code it holds a digest. An attempt lasts
 * 15 minutes, and is over with the fifth wrong code or the first right one. Nobody is looked up when a code is asked
 * for, so known and unknown addresses cost and answer the same.
 */
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { type RecordChange, type RecordStore, type StoredRecord, untilUnchanged } from '../records/record-store.js';
import { AccountError } from './account-error.js';

const KIND = 'sign-in';
export const CODE_MINUTES = 15;
const TRIES = 5;
/** Without vowels, so that no word comes of it, and without letters that look like digits: 27⁸ = 2³⁸ codes. */
const ALPHABET = '23456789BCDFGHJKMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const ATTEMPT_FORM = /^[\w-]{22}$/;

export interface SentCode {
  /** Names the attempt; for the browser that asked, and for the link. */
  readonly attempt: string;
  /** As it is sent, `BCDF-2345`. */
  readonly code: string;
}

/** An attempt whose code was right. It is used up by the write that its change is part of. */
export interface RedeemedCode {
  readonly email: string;
  readonly change: RecordChange;
}

/** Rejects with KeyStoreError. */
export async function createCode(records: RecordStore, email: string, nowMs: number): Promise<SentCode> {
  const attempt = randomBytes(16).toString('base64url');
  const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  const value = { email, digest: digestOf(attempt, code), tries: 0 };
  const expiresMs = nowMs + CODE_MINUTES * 60_000;
  await records.write([{ create: { kind: KIND, id: attempt, value, names: [], expiresMs } }]);
  return { attempt, code: `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}` };
}

/** Whether an attempt is still open; its address, for the page that asks for the code. Rejects with KeyStoreError. */
export async function findAttempt(records: RecordStore, attempt: string): Promise<string | undefined> {
  const stored = ATTEMPT_FORM.test(attempt) ? await records.get(KIND, attempt) : undefined;
  return stored && attemptIn(stored).email;
}

/** Rejects with AccountError CODE_GONE or CODE_WRONG, and with KeyStoreError. Each call is a try. */
export function redeemCode(records: RecordStore, attempt: string, typed: string): Promise<RedeemedCode> {
  return untilUnchanged(async () => {
    const stored = ATTEMPT_FORM.test(attempt) ? await records.get(KIND, attempt) : undefined;
    if (stored === undefined) throw gone();
    const { email, digest, tries } = attemptIn(stored);
    if (isEqual(digest, digestOf(attempt, plainCode(typed)))) return { email, change: { delete: stored } };
    const left = TRIES - tries - 1;
    const to = { value: { email, digest, tries: tries + 1 }, names: [], expiresMs: stored.expiresMs };
    await records.write([left > 0 ? { change: stored, to } : { delete: stored }]);
    throw left > 0
      ? new AccountError('CODE_WRONG', `That is not the code that was sent. ${countTries(left)} left.`)
      : gone();
  });
}

function gone(): AccountError {
  return new AccountError('CODE_GONE', 'This code has been used or has expired, or was mistyped too often.');
}

function countTries(count: number): string {
  return count === 1 ? 'One try is' : `${count} tries are`;
}

/** Letters and digits, in capitals, whatever stands between them. */
function plainCode(typed: string): string {
  return typed
    .slice(0, 64)
    .toUpperCase()
    .replaceAll(/[^\dA-Z]/g, '');
}

function digestOf(attempt: string, code: string): string {
  return hash('sha256', `${attempt}:${code}`, 'hex');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function attemptIn({ value }: StoredRecord): { email: string; digest: string; tries: number } {
  const { email, digest, tries } = value;
  // Whatever no site of ours wrote opens no account.
  if (typeof email !== 'string' || typeof digest !== 'string' || !Number.isSafeInteger(tries)) throw gone();
  return { email, digest, tries: tries as number };
}
