/**
 * The record of a key: its name, plan, state and validity. It reveals nothing about the clear key, so it may be listed,
 * logged and exported. Every record from a store or a file passes `parseKeyRecord`, which returns a frozen record that
 * is valid in every field.
 */

import { randomBytes } from 'node:crypto';
import { ExpectedError, InvalidValueError } from '../base/errors.js';
import { UNPRINTABLE } from '../base/escape-text.js';
import { BASE32_CLASS, encodeBase32 } from './api-key.js';
import { FREE_PLAN, isPlanName } from './plan.js';
import type { RecordAddress, RecordContent, StoredRecord } from './records/record-store.js';
import { parseRestrictions, type Restrictions } from './restrictions.js';

export const KEY_STATES = ['active', 'revoked', 'replaced'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export interface KeyRecord {
  /** `key_` and 12 random characters of base32; names the key wherever the clear key must not appear. */
  readonly id: string;
  /** For people: 1 to 100 characters, not blank, none of them a control character. */
  readonly name: string;
  /** Lower-case name of a plan; every key starts on `free`. */
  readonly plan: string;
  /** ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
  readonly created: string;
  /** The first instant at which the key is no longer good, written like `created`; null for never. */
  readonly expires: string | null;
  /** `revoked` and `replaced` are for good. */
  readonly state: KeyState;
  /** The id of the key that took this one's place; never null in the state `replaced`. */
  readonly replacedBy: string | null;
  /** The first instant at which a replaced key is no longer good; null for none: it is refused at once. */
  readonly graceUntil: string | null;
  /** Of a publishable key; a secret key has none. */
  readonly restrictions?: Restrictions;
}

const NAME_CHARACTER_LIMIT = 100;
const ID_RANDOM_CHARACTERS = 12;
const ID_FORM = new RegExp(`^key_[${BASE32_CLASS}]{${ID_RANDOM_CHARACTERS}}$`);

/** A new id: 60 random bits, so that among a million keys two share an id with a probability below 10^-6. */
export function createKeyId(): string {
  return `key_${encodeBase32(randomBytes(8)).slice(0, ID_RANDOM_CHARACTERS)}`;
}

/** Fields of a new key that differ from the defaults. */
export interface NewKeyFields {
  readonly plan?: string | undefined;
  readonly expires?: string | null | undefined;
  readonly restrictions?: Restrictions | undefined;
}

/** The record of a new active key; by default a secret key on the free plan and without expiry. */
export function createKeyRecord(
  name: string,
  created: Date,
  { plan = FREE_PLAN, expires = null, restrictions }: NewKeyFields = {},
): KeyRecord {
  return parseKeyRecord({
    id: createKeyId(),
    name,
    plan,
    created: created.toISOString(),
    expires,
    state: 'active',
    replacedBy: null,
    graceUntil: null,
    restrictions,
  });
}

/** Checks every field and returns a frozen record of these fields alone. Throws InvalidValueError. */
export function parseKeyRecord(value: unknown): KeyRecord {
  if (typeof value !== 'object' || value === null) throw new InvalidValueError('a key record must be an object');
  const { id, name, plan, created, expires, state, replacedBy, graceUntil, restrictions } = value as Record<
    keyof KeyRecord,
    unknown
  >;
  const record: KeyRecord = {
    id: parseId('id', id),
    name: parseKeyName(name),
    plan: parsePlan(plan),
    created: parseInstant('created', created),
    expires: expires === null ? null : parseInstant('expires', expires),
    state: parseState(state),
    replacedBy: replacedBy === null ? null : parseId('replacedBy', replacedBy),
    graceUntil: graceUntil === null ? null : parseInstant('graceUntil', graceUntil),
    ...(restrictions !== undefined && { restrictions: parseRestrictions(restrictions) }),
  };
  if (record.state === 'replaced' && record.replacedBy === null) {
    throw new InvalidValueError('a replaced key must name the key that replaced it');
  }
  if (record.graceUntil !== null && record.replacedBy === null) {
    throw new InvalidValueError('only a replaced key has a time of grace');
  }
  return Object.freeze(record);
}

/** Checks a key's name alone, for a caller that has no record yet. Throws InvalidValueError. */
export function parseKeyName(value: unknown): string {
  if (typeof value !== 'string') throw new InvalidValueError('a key name must be a text');
  if (value.trim() === '') throw new InvalidValueError('a key name must not be empty');
  if (UNPRINTABLE.test(value)) throw new InvalidValueError('a key name must not contain control characters');
  if ([...value].length > NAME_CHARACTER_LIMIT) {
    throw new InvalidValueError(`a key name must have at most ${NAME_CHARACTER_LIMIT} characters`);
  }
  return value;
}

/** Whether the text can be a key's id. */
export function isKeyId(text: string): boolean {
  return ID_FORM.test(text);
}

function parseId(field: 'id' | 'replacedBy', value: unknown): string {
  if (typeof value === 'string' && ID_FORM.test(value)) return value;
  throw new InvalidValueError(`${field} must be "key_" and ${ID_RANDOM_CHARACTERS} characters of base32`);
}

function parsePlan(value: unknown): string {
  if (isPlanName(value)) return value;
  throw new InvalidValueError('plan must be 1 to 32 characters of a-z, 0-9 and "-", the first a letter');
}

function parseInstant(field: 'created' | 'expires' | 'graceUntil', value: unknown): string {
  if (typeof value === 'string') {
    const instant = new Date(value);
    // The comparison also refuses 30 February, which Date reads as 2 March. Only instants with a four-digit year sort
    // as texts.
    if (!Number.isNaN(instant.getTime()) && instant.toISOString() === value && /^\d/.test(value)) return value;
  }
  throw new InvalidValueError(`${field} must be a time such as 2024-02-29T00:00:00.000Z`);
}

function parseState(value: unknown): KeyState {
  const state = KEY_STATES.find((known) => known === value);
  if (state !== undefined) return state;
  throw new InvalidValueError(`state must be one of ${KEY_STATES.join(', ')}`);
}

/** The order of lists: the oldest first, those of one instant by id. Instants of the records' form sort as texts. */
export function byCreatedThenId(one: Created, other: Created): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

interface Created {
  readonly created: string;
  readonly id: string;
}

/* Why a key can't be found, created, changed or shown. */

export type KeyErrorCode =
  /** The store has a key with this digest or this id. */
  | 'KEY_EXISTS'
  /** No key has this id. */
  | 'KEY_UNKNOWN'
  /** The key was revoked or replaced, or has expired. */
  | 'KEY_INACTIVE'
  /** The change is one of publishable keys only. */
  | 'KEY_SECRET'
  /** The clear key can't be shown: it was not sealed, or it was sealed with another secret or id, or was changed. */
  | 'KEY_SEALED';

export class KeyError extends ExpectedError {
  override readonly name = 'KeyError';

  constructor(
    readonly code: KeyErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/*
 * The changes of a key, as pure functions from its record to the next. A key in any state can be revoked, for good; any
 * other change needs an active key, else it throws KeyError KEY_INACTIVE.
 */

/** No longer good, at once and for good. Revoking twice changes nothing. */
export function revoke(record: KeyRecord): KeyRecord {
  return parseKeyRecord({ ...record, state: 'revoked' });
}

/** Good until `expires`, an instant as in a record; null for no expiry. */
export function expire(record: KeyRecord, expires: string | null): KeyRecord {
  return parseKeyRecord({ ...requireActive(record), expires });
}

export function setPlan(record: KeyRecord, plan: string): KeyRecord {
  return parseKeyRecord({ ...requireActive(record), plan });
}

/** Changes restrictions of a publishable key. A secret key stays one. */
export function restrict(record: KeyRecord, change: Partial<Restrictions>): KeyRecord {
  const { id, restrictions } = requireActive(record);
  if (restrictions === undefined) {
    throw new KeyError(
      'KEY_SECRET',
      `${id} is a secret key, which has no origins and no visitor rate: make a publishable key with keys create`,
    );
  }
  return parseKeyRecord({ ...record, restrictions: { ...restrictions, ...change } });
}

/** The record of a new key that takes the place of this one: like it in all but id and creation. */
export function createSuccessor({ name, plan, expires, restrictions }: KeyRecord, created: Date): KeyRecord {
  return createKeyRecord(name, created, { plan, expires, restrictions });
}

/** Replaced by `successor` and, unless `graceUntil` is an instant to come, no longer good. */
export function replace(record: KeyRecord, successor: string, graceUntil: string | null, nowMs: number): KeyRecord {
  const { id, expires } = requireActive(record);
  if (expires !== null && Date.parse(expires) <= nowMs) {
    throw new KeyError(
      'KEY_INACTIVE',
      `${id} has expired: give it more time first (expire ${id} --never), or create a key`,
    );
  }
  return parseKeyRecord({ ...record, state: 'replaced', replacedBy: successor, graceUntil });
}

/** Replaced without a time of grace. */
export function endGrace(record: KeyRecord): KeyRecord {
  return parseKeyRecord({ ...record, graceUntil: null });
}

/** Gives a key that is no longer good a successor, which continues its counts. */
export function follow(record: KeyRecord, successor: string): KeyRecord {
  return parseKeyRecord({ ...record, replacedBy: successor });
}

function requireActive(record: KeyRecord): KeyRecord {
  if (record.state === 'active') return record;
  const how = record.state === 'replaced' ? `was replaced by ${record.replacedBy}` : 'was revoked';
  throw new KeyError('KEY_INACTIVE', `${record.id} ${how}, for good`);
}

/*
 * An API key as a record of the key store: of the kind `key`, its id the digest of the clear key, its one name the
 * key's id, without an end. The value holds the fields of the key's record, the sealed clear key or null, and the id
 * under which its requests are counted. The script that decides in Redis reads the value too, see redis-scripts.ts.
 *
 *     {"id":"key_…","name":"our website","plan":"free","created":"2026-11-21T16:01:24.248Z","expires":null,
 *      "state":"active","replacedBy":null,"graceUntil":null,"sealed":null,"usage":"0-35fde9382d67692f"}
 */

export interface StoredKey {
  /** As digestApiKey gives it. */
  readonly digest: string;
  readonly record: KeyRecord;
  /** The clear key sealed by key-directory.ts; null if it was created without KEY_SECRET. */
  readonly sealed: string | null;
  readonly usageId: string;
}

export const KEY_KIND = 'key';

export function addressOfKey(digest: string): RecordAddress {
  return { kind: KEY_KIND, id: digest };
}

/** Throws InvalidValueError where the key's record is not valid. */
export function encodeStoredKey({ record, sealed, usageId }: Omit<StoredKey, 'digest'>): RecordContent {
  const value = { ...parseKeyRecord(record), sealed, usage: usageId };
  return { value, names: [record.id], expiresMs: null };
}

/** Throws InvalidValueError if the record is not a key. */
export function decodeStoredKey({ id: digest, value }: StoredRecord): StoredKey {
  const record = parseKeyRecord(value);
  const { sealed, usage } = value;
  if (sealed !== null && typeof sealed !== 'string') throw new InvalidValueError('a sealed key must be a text');
  if (typeof usage !== 'string') throw new InvalidValueError('a key must say where its requests are counted');
  return { digest, record, sealed, usageId: usage };
}
