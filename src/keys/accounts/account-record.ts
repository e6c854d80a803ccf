/**
 * A developer's account as a record of the key store, of the kind `account`. Its one name is the mailbox of its e-mail
 * address, so no mailbox has two accounts. An account owns keys by naming their ids. One write changes the account and
 * creates, replaces or revokes its key, so neither exists without the other.
 */

import { randomBytes } from 'node:crypto';
import { BASE32_CLASS, encodeBase32 } from '../key/base32.js';
import { isKeyId } from '../key/key-record.js';
import type { RecordContent, StoredRecord } from '../records/record-store.js';
import { KeyStoreError } from '../storage/key-store-error.js';
import { mailboxOf } from './email-address.js';

export const ACCOUNT_KIND = 'account';

export const ACTS = [
  ...['signed up', 'signed in', 'signed out everywhere', 'suspended', 'resumed'],
  ...['key made', 'key revealed', 'key replaced', 'key revoked', 'key changed'],
] as const;
export type Act = (typeof ACTS)[number];

/** One thing that happened to an account. */
export interface AccountEvent {
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  readonly act: string;
  /** The key that was created, shown, replaced, revoked or changed; else null. */
  readonly keyId: string | null;
}

export interface Account {
  /** `acct_` and 12 random characters of base32; names the account wherever its address must not appear. */
  readonly id: string;
  /** As parseEmailAddress gives it. */
  readonly email: string;
  readonly created: string;
  readonly state: 'active' | 'suspended';
  /** Signing out everywhere increments it, which ends all sessions of an earlier generation. */
  readonly sessionGeneration: number;
  /** The keys of the account, and recent earlier keys, by creation. */
  readonly keyIds: readonly string[];
  /** The latest events, the oldest first. */
  readonly events: readonly AccountEvent[];
}

const ID_FORM = new RegExp(`^acct_[${BASE32_CLASS}]{12}$`);
const EVENTS_KEPT = 50;
const INSTANT_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Wider than ACTS: a later version may have written the event. */
const ACT_FORM = /^[a-z][a-z ]{0,63}$/;

export function createAccount(email: string, nowMs: number): Account {
  return {
    id: `acct_${encodeBase32(randomBytes(8)).slice(0, 12)}`,
    email,
    created: new Date(nowMs).toISOString(),
    state: 'active',
    sessionGeneration: 0,
    keyIds: [],
    events: [],
  };
}

/** Whether the text can be an account's id. */
export function isAccountId(text: string): boolean {
  return ID_FORM.test(text);
}

/** The account with one more event. */
export function withEvent(account: Account, act: Act, nowMs: number, keyId: string | null = null): Account {
  const event = { at: new Date(nowMs).toISOString(), act, keyId };
  return { ...account, events: [...account.events, event].slice(-EVENTS_KEPT) };
}

/** The name of an account's record. No address contains a ":". */
export function accountRecordName(email: string): string {
  return `mailbox:${mailboxOf(email)}`;
}

export function encodeAccount({ id: _, ...value }: Account): RecordContent {
  return { value, names: [accountRecordName(value.email)], expiresMs: null };
}

/** Throws KeyStoreError KEY_STORE_DAMAGED for a record that is not an account. */
export function decodeAccount({ id, value, names }: StoredRecord, place: string): Account {
  const account = { ...value, id } as unknown as Account;
  const { email, created, state, sessionGeneration, keyIds, events } = account;
  const isSound =
    isAccountId(id) &&
    typeof email === 'string' &&
    names.includes(accountRecordName(email)) &&
    isInstant(created) &&
    (state === 'active' || state === 'suspended') &&
    Number.isSafeInteger(sessionGeneration) &&
    Array.isArray(keyIds) &&
    keyIds.every((keyId) => typeof keyId === 'string' && isKeyId(keyId)) &&
    Array.isArray(events) &&
    events.every(isEvent);
  if (isSound) return { id, email, created, state, sessionGeneration, keyIds, events };
  throw new KeyStoreError(
    'KEY_STORE_DAMAGED',
    `${place} holds an account that is not valid, ${id}`,
    'restore a backup',
  );
}

function isEvent(value: unknown): value is AccountEvent {
  const { at, act, keyId } = (value ?? {}) as Record<keyof AccountEvent, unknown>;
  return (
    isInstant(at) &&
    typeof act === 'string' &&
    ACT_FORM.test(act) &&
    (keyId === null || (typeof keyId === 'string' && isKeyId(keyId)))
  );
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && INSTANT_FORM.test(value);
}
