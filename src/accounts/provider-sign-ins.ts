/**
 * Sign-ins that are under way at the company's provider, as records of the kind `provider-sign-in`. A record is found
 * by an id that only the browser has which began, and holds what the provider's answer must fit. It lasts ten minutes,
 * and is used up by the write that signs in.
 */
import { randomBytes } from 'node:crypto';
import type { RecordChange, RecordStore, StoredRecord } from '../records/record-store.js';
import { isRecent } from './freshness.js';

const KIND = 'provider-sign-in';
export const PROVIDER_SIGN_IN_MINUTES = 10;
const LIFETIME_MS = PROVIDER_SIGN_IN_MINUTES * 60_000;
const ID_FORM = /^[\w-]{22}$/;

export interface ProviderSignIn {
  /** Comes back beside the code. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** Of PKCE: shows that whoever has the code began this sign-in. */
  readonly verifier: string;
  readonly begunMs: number;
  /** Whether the person has to prove anew who they are. */
  readonly mustBeFresh: boolean;
}

/** Keeps a sign-in, and gives the id that finds it. Rejects with KeyStoreError. */
export async function keepProviderSignIn(records: RecordStore, signIn: ProviderSignIn): Promise<string> {
  const id = randomBytes(16).toString('base64url');
  const expiresMs = signIn.begunMs + LIFETIME_MS;
  await records.write([{ create: { kind: KIND, id, value: signIn, names: [], expiresMs } }]);
  return id;
}

/** Undefined where it was used or has expired, or began in the future. Rejects with KeyStoreError. */
export async function findProviderSignIn(
  records: RecordStore,
  id: string,
  nowMs: number,
): Promise<ProviderSignIn | undefined> {
  const stored = await get(records, id);
  if (stored === undefined) return undefined;
  const { state, nonce, verifier, begunMs, mustBeFresh } = stored.value;
  // Whatever no site of ours wrote signs nobody in.
  if (![state, nonce, verifier].every((text) => typeof text === 'string' && text !== '')) return undefined;
  if (!Number.isSafeInteger(begunMs) || typeof mustBeFresh !== 'boolean') return undefined;
  const signIn = { state, nonce, verifier, begunMs, mustBeFresh } as ProviderSignIn;
  return isRecent(signIn.begunMs, LIFETIME_MS, nowMs) ? signIn : undefined;
}

/** What uses it up; undefined where that was done. Rejects with KeyStoreError. */
export async function planProviderSignInUse(records: RecordStore, id: string): Promise<RecordChange | undefined> {
  const stored = await get(records, id);
  return stored && { delete: stored };
}

async function get(records: RecordStore, id: string): Promise<StoredRecord | undefined> {
  return ID_FORM.test(id) ? await records.get(KIND, id) : undefined;
}
