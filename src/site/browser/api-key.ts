/**
 * The API key of this tab: typed, or that of the signed-in reader. All fields for it show the same key. It is kept in
 * the tab's session storage, so that it outlives a reload and goes with the tab, and stands in no address.
 */
import type { AccountKey } from './account-keys.js';

const STORED = 'api-key';

/** `id` is that of a key of the reader's account, '' for a typed key. */
interface StoredKey {
  readonly key: string;
  readonly id: string;
}

/** Puts the stored key into the fields, and stores what is typed into one of them. */
export function shareKey(fields: readonly HTMLInputElement[]): void {
  const { key } = readStored();
  for (const field of fields) {
    field.value = key;
    field.addEventListener('input', () => setKey(fields, field.value.trim(), ''));
  }
}

export function setKey(fields: readonly HTMLInputElement[], key: string, id: string): void {
  for (const field of fields) if (field.value.trim() !== key) field.value = key;
  try {
    if (key === '') sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify({ key, id } satisfies StoredKey));
  } catch {
    // Where a browser allows no storage, the fields keep the key until the page is left.
  }
}

/** Forgets the key of an account that the reader is not signed in to any more. */
export function forgetForeignKey(fields: readonly HTMLInputElement[], keys: readonly AccountKey[]): void {
  const { id } = readStored();
  if (id !== '' && !keys.some((known) => known.id === id)) setKey(fields, '', '');
}

function readStored(): StoredKey {
  const none = { key: '', id: '' };
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') ?? none;
  } catch {
    // No storage is allowed, or no JSON was stored under this name.
    return none;
  }
}
