/**
 * A developer's account as a record of the key store, of the kind `account`. Its one name is the mailbox of its e-mail
 * address, so no mailbox has two accounts. An account owns keys by naming their ids. One write changes the account and
 * creates, replaces or revokes its key, so neither exists without the other.
 */

import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { ExpectedError } from '../../base/errors.js';
import { BASE32_CLASS, encodeBase32 } from '../key/api-key.js';
import { isKeyId } from '../key/key-record.js';
import type { RecordContent, StoredRecord } from '../records/record-store.js';
import { KeyStoreError } from '../storage/key-store-error.js';

/* Why an action on an account was refused: a code, and one sentence for the user. */

export type AccountErrorCode =
  /** Not an e-mail address that mail can be sent to. */
  | 'ADDRESS_INVALID'
  /** The operator does not allow the address's domain. */
  | 'ADDRESS_REFUSED'
  /** The address's mailbox has an account under another spelling of the address. */
  | 'MAILBOX_TAKEN'
  /** The code, or the link, was used, has expired, or was guessed at too often. */
  | 'CODE_GONE'
  /** Not the code that was sent; the user may try again. */
  | 'CODE_WRONG'
  /** Over a rate limit; waiting helps. */
  | 'LIMITED'
  /** There is no session, or its account has been closed. */
  | 'SIGNED_OUT'
  /** The action needs a more recent sign-in. */
  | 'SIGN_IN_STALE'
  /** There is no such account. */
  | 'ACCOUNT_UNKNOWN'
  /** The operator has suspended the account. */
  | 'SUSPENDED'
  /** The account has no such key. */
  | 'KEY_UNKNOWN'
  /** The key is no longer active. */
  | 'KEY_STATE'
  /** The key was created without KEY_SECRET, or with another KEY_SECRET. */
  | 'KEY_SEALED'
  /** The account has the maximum number of keys. */
  | 'KEY_LIMIT'
  /** The action needs KEY_SECRET. */
  | 'SECRET_MISSING'
  /** The typed confirmation does not match. */
  | 'CONFIRMATION_WRONG';

export class AccountError extends ExpectedError {
  override readonly name = 'AccountError';

  constructor(
    readonly code: AccountErrorCode,
    message: string,
    /** Seconds until the action is allowed again; null unless the code is LIMITED. */
    readonly waitSeconds: number | null = null,
  ) {
    super(message);
  }
}

/*
 * E-mail addresses: parses a typed address into the form that mail is sent to, and finds the addresses of one mailbox.
 * Only RFC 5321's dot-string without quoted parts is accepted, which needs no escaping in an SMTP envelope or a header:
 * no address contains a line break or another recipient.
 */

const LOCAL_FORM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN_FORM = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LOCAL_LIMIT = 64;
const ADDRESS_LIMIT = 254;

/**
 * The address in lower case, its domain in ASCII. No known server distinguishes capitals before the "@". Throws
 * AccountError ADDRESS_INVALID.
 */
export function parseEmailAddress(text: string): string {
  const [, local = '', domain = ''] = /^\s*([^\s@]+)@([^\s@]+)\s*$/.exec(text.slice(0, 2 * ADDRESS_LIMIT)) ?? [];
  // domainToASCII would take "example.org?x" for "example.org".
  const host = domainToASCII(DOMAIN_CHARACTERS.test(domain) ? domain : '').toLowerCase();
  const address = `${local.toLowerCase()}@${host}`;
  const isSound = local.length <= LOCAL_LIMIT && LOCAL_FORM.test(local) && DOMAIN_FORM.test(host);
  if (!isSound || address.length > ADDRESS_LIMIT) {
    throw new AccountError('ADDRESS_INVALID', 'That is not an e-mail address that mail can be sent to.');
  }
  return address;
}

/** Whether the typed text is this address, in any spelling that parseEmailAddress accepts. */
export function isSameAddress(typed: string, address: string): boolean {
  try {
    return parseEmailAddress(typed) === address;
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    return false;
  }
}

/** Whether the address belongs to one of the domains or their subdomains; null allows every address. */
export function isOfDomains(address: string, domains: readonly string[] | null): boolean {
  const domain = address.slice(address.indexOf('@') + 1);
  return domains === null || domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

/** Dots are ignored, and both domains are equal (support.google.com/mail/answer/7436150 and /10313). */
const GMAIL_DOMAIN = /^(?:gmail|googlemail)\.com$/;
/**
 * Disposable addresses are "<base>-<keyword>", and a base belongs to one person; no other Yahoo name contains a "-"
 * (help.yahoo.com on disposable addresses; US 2006/0041621, "a preserved character, such as a dash").
 */
const YAHOO_DOMAIN = /^(?:yahoo(?:\.com?)?\.[a-z]{2,3}|ymail\.com|rocketmail\.com)$/;

/** All domains are equal, and ".", "-" and "_" are ignored (proton.me/support on addresses and aliases). */
const PROTON_DOMAIN = /^(?:proton\.me|pm\.me|protonmail\.(?:com|ch))$/;
/** All domains are equal, and a "." equals a "-" (as in validator.js). */
const YANDEX_DOMAIN = /^(?:ya\.ru|yandex\.(?:com|ru|by|kz|ua|com\.tr))$/;

/**
 * The mailbox to which an address is most likely delivered: many servers ignore a "+" and the text after it. Not all
 * do, so a proof for one address of a mailbox proves nothing about its other addresses.
 */
export function mailboxOf(address: string): string {
  const at = address.indexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const name = withoutTag(local, '+');
  if (GMAIL_DOMAIN.test(domain)) return `${name.replaceAll('.', '')}@gmail.com`;
  if (PROTON_DOMAIN.test(domain)) return `${name.replaceAll(/[._-]/g, '')}@proton.me`;
  if (YANDEX_DOMAIN.test(domain)) return `${name.replaceAll('.', '-')}@yandex.com`;
  return `${YAHOO_DOMAIN.test(domain) ? withoutTag(name, '-') : name}@${domain}`;
}

/** A name that starts with the separator is kept. */
function withoutTag(local: string, separator: string): string {
  const at = local.indexOf(separator);
  return at > 0 ? local.slice(0, at) : local;
}

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
export function mailboxName(email: string): string {
  return `mailbox:${mailboxOf(email)}`;
}

export function encodeAccount({ id: _, ...value }: Account): RecordContent {
  return { value, names: [mailboxName(value.email)], expiresMs: null };
}

/** Throws KeyStoreError KEY_STORE_DAMAGED for a record that is not an account. */
export function decodeAccount({ id, value, names }: StoredRecord, place: string): Account {
  const account = { ...value, id } as unknown as Account;
  const { email, created, state, sessionGeneration, keyIds, events } = account;
  const isSound =
    isAccountId(id) &&
    typeof email === 'string' &&
    names.includes(mailboxName(email)) &&
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
