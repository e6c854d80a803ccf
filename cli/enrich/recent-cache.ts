/**
 * A cache of at most `2 * size` entries. Entries are kept in two generations: once the younger one is full it becomes the
 * older one, and the entries of the older one that nobody asked for meanwhile are gone. Each operation takes constant time.
 */
export class RecentCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(readonly size: number) {}

  get(key: string): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.#add(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    // A key that is a slice of a long text would keep that text in memory.
    this.#add(Buffer.from(key, 'utf16le').toString('utf16le'), value);
  }

  #add(key: string, value: Value): void {
    if (this.#young.size >= this.size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
