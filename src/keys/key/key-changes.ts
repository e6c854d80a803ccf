/**
 * The changes of a key, as pure functions from its record to the next. A key in any state can be revoked, for good; any
 * other change needs an active key, else it throws KeyError KEY_INACTIVE.
 */

import { KeyError } from './key-error.js';
import { createKeyRecord, type KeyRecord, parseKeyRecord } from './key-record.js';
import type { Restrictions } from './restrictions.js';

/** No longer good, at once and for good. Revoking twice changes nothing. */
export function changeKeyToRevoked(record: KeyRecord): KeyRecord {
  return parseKeyRecord({ ...record, state: 'revoked' });
}

/** Good until `expires`, an instant as in a record; null for no expiry. */
export function changeKeyExpiry(record: KeyRecord, expires: string | null): KeyRecord {
  return parseKeyRecord({ ...requireActive(record), expires });
}

export function changeKeyPlan(record: KeyRecord, plan: string): KeyRecord {
  return parseKeyRecord({ ...requireActive(record), plan });
}

/** Changes restrictions of a publishable key. A secret key stays one. */
export function changeKeyRestrictions(record: KeyRecord, change: Partial<Restrictions>): KeyRecord {
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
export function changeKeyToReplaced(
  record: KeyRecord,
  successor: string,
  graceUntil: string | null,
  nowMs: number,
): KeyRecord {
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
export function endKeyGrace(record: KeyRecord): KeyRecord {
  return parseKeyRecord({ ...record, graceUntil: null });
}

/** Gives a key that is no longer good a successor, which continues its counts. */
export function changeKeyToFollowed(record: KeyRecord, successor: string): KeyRecord {
  return parseKeyRecord({ ...record, replacedBy: successor });
}

function requireActive(record: KeyRecord): KeyRecord {
  if (record.state === 'active') return record;
  const how = record.state === 'replaced' ? `was replaced by ${record.replacedBy}` : 'was revoked';
  throw new KeyError('KEY_INACTIVE', `${record.id} ${how}, for good`);
}
