/**
 * The digests of keys that were sent lately, so that a key is not checked and hashed at each of its requests: that is a
 * microsecond, two or three per cent of a request. Nothing but its digest is remembered of a key, never what becomes of
 * it; and only of keys that the store has found, so that strangers push none of them out.
 */
import { digestApiKey, isWellFormedApiKey } from './api-key.js';
import type { KeyStore } from './key-store.js';

const REMEMBERED_LIMIT = 10_000;

export class RecognisedKeys {
  /** By clear key. */
  readonly #digests = new Map<string, string>();

  constructor(private readonly store: Pick<KeyStore, 'knows'>) {}

  /** The digest of a clear key; undefined where the text can be none. */
  digestOf(clearKey: string): string | undefined {
    const known = this.#digests.get(clearKey);
    if (known !== undefined) return known;
    if (!isWellFormedApiKey(clearKey)) return undefined;
    const digest = digestApiKey(clearKey);
    if (this.store.knows(digest)) this.#remember(clearKey, digest);
    return digest;
  }

  #remember(clearKey: string, digest: string): void {
    // All are dropped at once, and each is hashed once more when it comes again.
    if (this.#digests.size >= REMEMBERED_LIMIT) this.#digests.clear();
    this.#digests.set(clearKey, digest);
  }
}
