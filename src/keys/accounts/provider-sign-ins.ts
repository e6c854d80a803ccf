/**
 * Pending sign-ins at the company's provider, as records of the kind `provider-sign-in`. Only the browser that began
 * the sign-in has the record's id. The record contains the secrets that the provider's response must match. It lasts
 * ten minutes, and the write that signs in deletes it.
 */

import { randomBytes } from 'node:crypto';
import type { RecordChange, RecordStore, StoredRecord } from '../records/record-store.js';
import { isRecentWithinTolerance } from './clock-tolerance.js';

const KIND = 'provider-sign-in';
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

/** Stores a pending sign-in and returns its id. */
export async function keepProviderSignIn(records: RecordStore, signIn: ProviderSignIn): Promise<string> {
  const id = randomBytes(16).toString('base64url');
  const expiresMs = signIn.begunMs + PROVIDER_LIFETIME_MS;
  await records.write([{ create: { kind: KIND, id, value: signIn, names: [], expiresMs } }]);
  return id;
}

/** Undefined if it was used, has expired, or began in the future. */
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
  return isRecentWithinTolerance(signIn.begunMs, PROVIDER_LIFETIME_MS, nowMs) ? signIn : undefined;
}

/** The change that deletes the sign-in; undefined if it was used. */
export async function prepareProviderSignInUse(records: RecordStore, id: string): Promise<RecordChange | undefined> {
  const stored = await get(records, id);
  return stored && { delete: stored };
}

async function get(records: RecordStore, id: string): Promise<StoredRecord | undefined> {
  return ID_FORM.test(id) ? await records.get(KIND, id) : undefined;
}
