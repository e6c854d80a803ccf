/**
 * Pages as they were sent, the latest asked for first to stay: most visits to a public site are to few pages, and a page
 * costs six times as much to make as to send. A page is found by its address and entity tag, so one of an earlier
 * snapshot is never found, and goes when there is no more room. At most MAX_BYTES are kept.
 */

const MAX_BYTES = 32 << 20;

export class PageCache {
  /** The least lately asked for first. */
  readonly #pages = new Map<string, Buffer>();
  #bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  find(tag: string, url: string): Buffer | undefined {
    const key = keyOf(tag, url);
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  keep(tag: string, url: string, page: Buffer): void {
    const key = keyOf(tag, url);
    this.#bytes += page.length - (this.#pages.get(key)?.length ?? 0);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    for (const [oldest, { length }] of this.#pages) {
      if (this.#bytes <= this.maxBytes) break;
      this.#pages.delete(oldest);
      this.#bytes -= length;
    }
  }
}

function keyOf(tag: string, url: string): string {
  return `${tag} ${url}`;
}
