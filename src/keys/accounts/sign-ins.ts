/**
 * Signs in and signs up, by a mailed code or link or through a provider. The first sign-in creates the account, in the
 * write that uses up the code and creates the session. A mailbox has one account, with the address that was used first,
 * and only a proof for exactly that address signs in: a server may deliver `ada+list@…` to someone else than `ada@…`.
 * So a code that is requested with another spelling is sent to the account's address. If the store fails, the error is
 * a KeyStoreError, and nothing was written unless its code is KEY_STORE_UNSURE.
 */

import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import {
  CHANGED_OR_EXISTS,
  type RecordChange,
  type RecordStore,
  type StoredRecord,
  untilUnchanged,
} from '../records/record-store.js';
import { type Account, AccountError, isOfDomains, mailboxOf, parseEmailAddress } from './account.js';
import type { AccountDirectory, AccountRules } from './account-directory.js';
import type { AccountUpdate, AccountUpdates } from './account-updates.js';
import { type LimitedAction, RateLimiter } from './rate-limiter.js';
import { isRecent, prepareSession } from './sessions.js';

/*
 * Sign-ins by mail, as records of the kind `sign-in`. A mail contains a code to type and a link with a token; either
 * signs in, once, within 15 minutes. The record's id is the id of the attempt, which only the mail and the requesting
 * browser have. The record contains digests of code and token under the secret. Five wrong codes invalidate the code
 * but not the link, so an attacker who requests codes for another address can't lock its owner out.
 */

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

  /** A code to be sent to `email`; `asked` is the address that was typed. Rejects with KeyStoreError. */
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

  /** The address that was typed for an open attempt; undefined if the attempt has ended. Rejects with KeyStoreError. */
  async find(attempt: string, nowMs: number): Promise<string | undefined> {
    const stored = await this.#get(attempt, nowMs);
    return stored && attemptIn(stored).asked;
  }

  /** Rejects with AccountError CODE_GONE or CODE_WRONG, and with KeyStoreError. A wrong code counts as a try. */
  redeem(attempt: string, typed: string, nowMs: number): Promise<RedeemedCode> {
    return untilUnchanged(async () => {
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

  /** Redeems the token of the link. Rejects with AccountError CODE_GONE, and with KeyStoreError. */
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
    return isRecent(createdMs, LIFETIME_MS, nowMs) ? stored : undefined;
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

export interface SignedIn {
  readonly token: string;
  readonly account: Account;
  readonly isNew: boolean;
}

export interface RequestedCode extends SentCode {
  /** The address that the code is to be sent to. */
  readonly email: string;
  /** The action that the rate limiter counted, and its subject. */
  readonly counted: readonly [LimitedAction, string];
}

export class SignIns {
  readonly #codes: SignInCodes;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly directory: AccountDirectory,
    private readonly updates: AccountUpdates,
    private readonly rules: AccountRules,
    private readonly clock: () => number,
  ) {
    const { records } = directory.keys;
    this.#codes = new SignInCodes(records, rules.keySecret);
    this.#limiter = new RateLimiter(records, rules.keySecret);
  }

  /**
   * Creates a code to be sent to the address of the mailbox's account or, without an account, to this address. Rejects
   * with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and LIMITED, whether there is an account or not.
   */
  async requestCode(typed: string): Promise<RequestedCode> {
    const asked = this.#admit(typed);
    await this.#limiter.consume('mail', mailboxOf(asked), this.clock());
    const found = await this.directory.findByEmail(asked);
    return await this.#createCode(found?.account.email ?? asked, asked, ['mail', mailboxOf(asked)]);
  }

  /** Creates a code for a signed-in user, with a rate limit of its own. Rejects with AccountError LIMITED. */
  async requestFreshCode({ id, email }: Account): Promise<RequestedCode> {
    await this.#limiter.consume('fresh', id, this.clock());
    return await this.#createCode(email, email, ['fresh', id]);
  }

  /** Takes a code that could not be sent off the rate limit. */
  async withdrawCode({ counted: [action, subject] }: RequestedCode): Promise<void> {
    await this.#limiter.refund(action, subject, this.clock());
  }

  /** The address that was typed for an open attempt. */
  findAttempt(attempt: string): Promise<string | undefined> {
    return this.#codes.find(attempt, this.clock());
  }

  /**
   * Signs in; the first time, creates the account after `beforeSignUp`, which may throw. Rejects with AccountError
   * CODE_GONE, CODE_WRONG and MAILBOX_TAKEN.
   */
  redeem(attempt: string, code: string, beforeSignUp: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeem(attempt, code, this.clock());
      return await this.#signIn(email, [change], beforeSignUp);
    }, CHANGED_OR_EXISTS);
  }

  /** Signs in likewise by the mailed link. Rejects with AccountError CODE_GONE and MAILBOX_TAKEN. */
  redeemLink(attempt: string, token: string, beforeSignUp: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeemLink(attempt, token, this.clock());
      return await this.#signIn(email, [change], beforeSignUp);
    }, CHANGED_OR_EXISTS);
  }

  /**
   * Signs in a user who proved ownership of the address to a provider at `provedMs`. The write includes the changes of
   * `uses`. Rejects with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and MAILBOX_TAKEN.
   */
  async signInAs(
    typed: string,
    uses: () => Promise<readonly RecordChange[]>,
    beforeSignUp: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const email = this.#admit(typed);
    return await untilUnchanged(
      async () => this.#signIn(email, await uses(), beforeSignUp, provedMs),
      CHANGED_OR_EXISTS,
    );
  }

  /** Rejects with AccountError ADDRESS_INVALID and ADDRESS_REFUSED. */
  #admit(typed: string): string {
    const email = parseEmailAddress(typed);
    if (isOfDomains(email, this.rules.domains)) return email;
    throw new AccountError('ADDRESS_REFUSED', `Only addresses of ${this.rules.domains?.join(', ')} can sign in here.`);
  }

  async #createCode(email: string, asked: string, counted: RequestedCode['counted']): Promise<RequestedCode> {
    return { email, counted, ...(await this.#codes.create(email, asked, this.clock())) };
  }

  async #signIn(
    email: string,
    uses: readonly RecordChange[],
    beforeSignUp: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const nowMs = this.clock();
    const found = await this.directory.findByEmail(email);
    if (found === undefined) beforeSignUp();
    else if (found.account.email !== email) throw mailboxTaken();
    const update: AccountUpdate =
      found === undefined
        ? await this.updates.prepareSignUp(email, nowMs)
        : this.updates.prepareEvent(found, 'signed in', nowMs);
    const { account } = update;
    const { token, change } = prepareSession(account.id, account.sessionGeneration, nowMs, provedMs);
    await this.directory.keys.records.write([...uses, ...update.changes, change]);
    return { token, account, isNew: found === undefined };
  }
}

function mailboxTaken(): AccountError {
  const message = 'This mailbox has an account already, under another spelling of its address. Sign in with that one.';
  return new AccountError('MAILBOX_TAKEN', message);
}

/*
 * Pending sign-ins at the company's provider, as records of the kind `provider-sign-in`. Only the browser that began
 * the sign-in has the record's id. The record contains the secrets that the provider's response must match. It lasts
 * ten minutes, and the write that signs in deletes it.
 */

const PROVIDER_KIND = 'provider-sign-in';
export const PROVIDER_SIGN_IN_MINUTES = 10;
const PROVIDER_LIFETIME_MS = PROVIDER_SIGN_IN_MINUTES * 60_000;
const ID_FORM = /^[\w-]{22}$/;

export interface ProviderSignIn {
  /** The response repeats it beside the code. */
  readonly state: string;
  /** The ID token repeats it. */
  readonly nonce: string;
  /** PKCE: proves that the code is redeemed by the process that began this sign-in. */
  readonly verifier: string;
  readonly begunMs: number;
  /** Whether the provider must ask for the password again. */
  readonly mustBeFresh: boolean;
}

/** Stores a pending sign-in and returns its id. Rejects with KeyStoreError. */
export async function keepProviderSignIn(records: RecordStore, signIn: ProviderSignIn): Promise<string> {
  const id = randomBytes(16).toString('base64url');
  const expiresMs = signIn.begunMs + PROVIDER_LIFETIME_MS;
  await records.write([{ create: { kind: PROVIDER_KIND, id, value: signIn, names: [], expiresMs } }]);
  return id;
}

/** Undefined if it was used, has expired, or began in the future. Rejects with KeyStoreError. */
export async function findProviderSignIn(
  records: RecordStore,
  id: string,
  nowMs: number,
): Promise<ProviderSignIn | undefined> {
  const stored = await get(records, id);
  if (stored === undefined) return undefined;
  const { state, nonce, verifier, begunMs, mustBeFresh } = stored.value;
  // A damaged record signs nobody in.
  if (![state, nonce, verifier].every((text) => typeof text === 'string' && text !== '')) return undefined;
  if (!Number.isSafeInteger(begunMs) || typeof mustBeFresh !== 'boolean') return undefined;
  const signIn = { state, nonce, verifier, begunMs, mustBeFresh } as ProviderSignIn;
  return isRecent(signIn.begunMs, PROVIDER_LIFETIME_MS, nowMs) ? signIn : undefined;
}

/** The change that deletes the sign-in; undefined if it was used. Rejects with KeyStoreError. */
export async function prepareProviderSignInUse(records: RecordStore, id: string): Promise<RecordChange | undefined> {
  const stored = await get(records, id);
  return stored && { delete: stored };
}

async function get(records: RecordStore, id: string): Promise<StoredRecord | undefined> {
  return ID_FORM.test(id) ? await records.get(PROVIDER_KIND, id) : undefined;
}
