/** The keys that a process has found lately, so that a decision need not parse a record that is as it was. */

import { InvalidValueError } from '../../expected-error.js';
import type { RecordTables } from '../../records/embedded/record-tables.js';
import { decodeRecord } from '../../records/record-text.js';
import { damagedEntry } from '../../storage/embedded/key-folder.js';
import { addressOfKey, decodeStoredKey, type StoredKey } from '../stored-key.js';
import { parseUsageId, type UsageSlot } from './usage-file.js';

export interface FoundKey extends StoredKey {
  readonly slot: UsageSlot;
}

const REMEMBERED_LIMIT = 10_000;

/** Calls must be made under the folder's lock. */
export class FoundKeys {
  /** Each beside the text that it was parsed from: it is good while the store holds that text. */
  readonly #found = new Map<string, { readonly text: string; readonly key: FoundKey }>();

  constructor(private readonly tables: RecordTables) {}

  /** Throws KeyStoreError where the key's record is damaged. */
  find(digest: string): FoundKey | undefined {
    const text = this.tables.readText(addressOfKey(digest));
    if (text === undefined) return undefined;
    const known = this.#found.get(digest);
    if (known?.text === text) return known.key;
    const key = this.#decode(digest, text);
    this.#found.set(digest, { text, key });
    if (this.#found.size > REMEMBERED_LIMIT) this.#forgetOldest();
    return key;
  }

  /** Whether the key was found lately, and was not revoked. */
  has(digest: string): boolean {
    const known = this.#found.get(digest);
    return known !== undefined && known.key.record.state !== 'revoked';
  }

  #forgetOldest(): void {
    const [oldest] = this.#found.keys();
    if (oldest !== undefined) this.#found.delete(oldest);
  }

  #decode(digest: string, text: string): FoundKey {
    try {
      const stored = decodeRecord(addressOfKey(digest), text);
      if (stored === undefined) throw new InvalidValueError('it has another form');
      const key = decodeStoredKey(stored);
      const slot = parseUsageId(key.usageId);
      if (slot === undefined) throw new InvalidValueError('it has no place among the counts');
      return { ...key, slot };
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const found = `a record that is not valid (${error.message}), under the digest ${digest}`;
      throw damagedEntry(this.tables.path, found, error);
    }
  }
}
