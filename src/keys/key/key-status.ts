/** Whether a key is good at an instant, and why not. */

import type { KeyRecord } from './key-record.js';

/** Why a key of the store is not good at this instant, or undefined if it is good. */
export function findBadKeyStatus(record: KeyRecord, nowMs: number): 'revoked' | 'expired' | undefined {
  // Revoked comes first: a revocation is permanent.
  if (record.state === 'revoked') return 'revoked';
  if (record.state === 'replaced' && !isBefore(nowMs, record.graceUntil)) return 'revoked';
  if (record.expires !== null && !isBefore(nowMs, record.expires)) return 'expired';
  return undefined;
}

export function hasGoodKeyStatus(record: KeyRecord, nowMs: number): boolean {
  return findBadKeyStatus(record, nowMs) === undefined;
}

/** The state of a record, and `expired` for an active key whose time is over. */
export function statusAt(record: KeyRecord, nowMs: number): string {
  const isExpired = record.state === 'active' && findBadKeyStatus(record, nowMs) === 'expired';
  return isExpired ? 'expired' : record.state;
}

function isBefore(nowMs: number, instant: string | null): boolean {
  return instant !== null && nowMs < Date.parse(instant);
}
