/**
 * A least-recently-used cache of rendered pages: most visits to a public site are to few pages, and rendering a page
 * takes six times as long as sending it. The key is the canonical address with the version of snapshot and program, so
 * a page of an earlier snapshot is never found, and is evicted in time.
 */

import { RecencyMap } from '../../base/recency-map.js';

/** Maximum bytes of all entries with their keys: some 3,000 pages, and a small part of the process's memory. */
export const MAX_BYTES = 24 << 20;
/** Bytes of an entry besides its page and the characters of its key: measured, and rounded up. */
const ENTRY_BYTES = 256;

export class PageCache {
  readonly #pages = new RecencyMap<string, Buffer>();
  #bytes = 0;

  find(version: string, address: string): Buffer | undefined {
    const key = keyOf(version, address);
    const page = this.#pages.get(key);
    if (page !== undefined) this.#pages.set(key, page);
    return page;
  }

  add(version: string, address: string, page: Buffer): void {
    const key = keyOf(version, address);
    const replaced = this.#pages.get(key);
    if (replaced !== undefined) this.#bytes -= bytesInCache(key, replaced);
    this.#pages.set(key, copyAlone(page));
    this.#bytes += bytesInCache(key, page);
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#pages.removeOldest();
      if (oldest === undefined) break;
      this.#bytes -= bytesInCache(...oldest);
    }
  }
}

/** A small buffer is a part of a pool, of 64 KiB in Node 24, all of which stays as long as the page. */
function copyAlone(page: Buffer): Buffer {
  const alone = Buffer.allocUnsafeSlow(page.length);
  page.copy(alone);
  return alone;
}

function keyOf(version: string, address: string): string {
  return `${version} ${address}`;
}

/** Bytes of an entry; V8 takes at most two for a character. */
export function bytesInCache(key: string, page: Buffer): number {
  return ENTRY_BYTES + 2 * key.length + page.length;
}
