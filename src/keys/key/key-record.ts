/**
 * The record of a key: its name, plan, state and validity. It reveals nothing about the clear key, so it may be listed,
 * logged and exported. Every record from a store or a file passes `parseKeyRecord`, which returns a frozen record that
 * is valid in every field.
 */

import { randomBytes } from 'node:crypto';
import { InvalidValueError } from '../../base/errors.js';
import { UNPRINTABLE } from '../../base/escape-text.js';
import { BASE32_CLASS, encodeBase32 } from './base32.js';
import { FREE_PLAN, isPlanName } from './plan.js';
import { parseRestrictions, type Restrictions } from './restrictions.js';

const KEY_STATES = ['active', 'revoked', 'replaced'] as const;
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

/** Checks every field and returns a frozen record of these fields alone. */
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

/** Checks a key's name alone, for a caller that has no record yet. */
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
