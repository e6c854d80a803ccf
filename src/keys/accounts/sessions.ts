/**
 * Sessions as records of the kind `session`. The browser has a token of 256 random bits; the record's id is its digest.
 * A session lasts 30 days from its last use and 90 days in all, and ends when the account's session generation changes.
 * A session that was created or used in the future is not valid: a clock was wrong. Every sign-in creates a new token.
 */

import { hash, randomBytes } from 'node:crypto';
import type { RecordChange, RecordStore, StoredRecord } from '../records/record-store.js';
import { isRecentWithinTolerance } from './clock-tolerance.js';

const KIND = 'session';
const DAY_MS = 86_400_000;
const IDLE_MS = 30 * DAY_MS;
export const LONGEST_SESSION_MS = 90 * DAY_MS;
/** Milliseconds by which the recorded last use may lag, so that most pages don't write. */
const SEEN_STEP_MS = 3_600_000;
/** Maximum age of a proof of the address, in milliseconds, for actions on keys. */
const FRESH_MS = 10 * 60_000;
const TOKEN_FORM = /^[\w-]{43}$/;

export interface Session {
  readonly accountId: string;
  readonly generation: number;
  readonly createdMs: number;
  readonly seenMs: number;
  /** When the user last proved ownership of the address, by a code or to the provider; 0 if unknown. */
  readonly provedMs: number;
}

export interface FoundSession {
  readonly session: Session;
  readonly stored: StoredRecord;
}

/** A new session and its token. */
export function prepareSession(
  accountId: string,
  generation: number,
  nowMs: number,
  provedMs: number,
): { readonly token: string; readonly change: RecordChange } {
  const token = randomBytes(32).toString('base64url');
  const session: Session = { accountId, generation, createdMs: nowMs, seenMs: nowMs, provedMs };
  return { token, change: { create: { kind: KIND, id: digestOf(token), ...contentOf(session) } } };
}

export async function findSession(
  records: RecordStore,
  token: string,
  nowMs: number,
): Promise<FoundSession | undefined> {
  const stored = await get(records, token);
  if (stored === undefined) return undefined;
  const { accountId, generation, createdMs, seenMs, provedMs } = stored.value;
  // A damaged record signs nobody in.
  if (typeof accountId !== 'string') return undefined;
  if (![generation, createdMs, seenMs, provedMs].every(Number.isSafeInteger)) return undefined;
  const session = { accountId, generation, createdMs, seenMs, provedMs } as Session;
  // The store expires records by its own clock, which may have been set back too.
  const isCurrent =
    isRecentWithinTolerance(session.createdMs, LONGEST_SESSION_MS, nowMs) &&
    isRecentWithinTolerance(session.seenMs, IDLE_MS, nowMs);
  return isCurrent ? { session, stored } : undefined;
}

/** Whether the last proof of the address is recent enough to show or end a key. */
export function isFreshSession({ provedMs }: Session, nowMs: number): boolean {
  return isRecentWithinTolerance(provedMs, FRESH_MS, nowMs);
}

/** The change that deletes the session of this token, even an expired one; undefined if there is none. */
export async function prepareSignOut(records: RecordStore, token: string): Promise<RecordChange | undefined> {
  const stored = await get(records, token);
  return stored && { delete: stored };
}

/** The change that updates the last use, if that is due. */
export function prepareSeen({ session, stored }: FoundSession, nowMs: number): RecordChange | undefined {
  if (nowMs - session.seenMs < SEEN_STEP_MS) return undefined;
  return { change: stored, to: contentOf({ ...session, seenMs: nowMs }) };
}

async function get(records: RecordStore, token: string): Promise<StoredRecord | undefined> {
  return TOKEN_FORM.test(token) ? await records.get(KIND, digestOf(token)) : undefined;
}

function contentOf(session: Session) {
  const { createdMs, seenMs } = session;
  return { value: session, names: [], expiresMs: Math.min(createdMs + LONGEST_SESSION_MS, seenMs + IDLE_MS) };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}
