/**
 * A cache of at most `2 * size` entries. Entries are kept in two generations: once the younger one is full it becomes the
 * older one, and the entries of the older one that nobody asked for meanwhile are gone. Each operation takes constant time.
 * Memory is bounded by `size` and by the values: long keys are not kept.
 */
import { copyText } from './copy-text.js';

/** Maximum length of a key in characters: twice that of an address line. Rows of a table seldom share longer cells. */
const MAX_KEY_LENGTH = 256;

export class RecentCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(readonly size: number) {}

  get(key: string): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (key.length > MAX_KEY_LENGTH) return;
    if (this.#young.size >= this.size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(copyText(key), value);
  }
}
