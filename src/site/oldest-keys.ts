/**
 * The keys of a Map in the order of their insertion, for a cache that removes its oldest entries. One iterator goes on
 * where it stopped: an iterator that starts anew walks over all entries that were removed since the Map last grew, 13 µs
 * in a Map of 50,000.
 */

export class OldestKeys<Key> {
  readonly #map: ReadonlyMap<Key, unknown>;
  #keys: Iterator<Key>;

  /** Only the entries that `next` names may be removed without being inserted again behind the others. */
  constructor(map: ReadonlyMap<Key, unknown>) {
    this.#map = map;
    this.#keys = map.keys();
  }

  /** The oldest key, which the caller removes; undefined if the Map is empty. */
  next(): Key | undefined {
    let { done, value } = this.#keys.next();
    if (done === true) {
      // An iterator that has ended stays at its end.
      this.#keys = this.#map.keys();
      ({ done, value } = this.#keys.next());
    }
    return done === true ? undefined : value;
  }
}
