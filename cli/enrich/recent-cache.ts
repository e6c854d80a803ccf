/**
 * A cache that forgets the entry that nobody asked for the longest. Its memory is bounded by the number of entries and
 * by their values: long keys are not kept.
 */

import { RecencyMap } from '../../src/base/recency-map.js';
import { copyText } from './copy-text.js';

/** Maximum length of a key in characters: twice that of an address line. Rows of a table seldom share longer cells. */
const MAX_KEY_LENGTH = 256;

export class RecentCache<Value> {
  /** Each with a copy of its key. */
  readonly #entries: RecencyMap<string, { readonly key: string; readonly value: Value }>;

  constructor(limit: number) {
    this.#entries = new RecencyMap(limit);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(entry.key, entry);
    return entry?.value;
  }

  set(key: string, value: Value): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const copy = copyText(key);
    this.#entries.set(copy, { key: copy, value });
  }
}
