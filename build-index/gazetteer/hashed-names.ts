/** Folded names by their hash, each with the number of a country: of several countries with a name the weightiest. */
import { hashText } from '../../src/format/hash.js';

export class HashedNames {
  readonly #countries = new Map<number, { readonly country: number; readonly weight: number }>();

  add(folded: string, country: number, weight: number): void {
    const hash = hashText(folded);
    const known = this.#countries.get(hash);
    if (known === undefined || known.weight < weight) this.#countries.set(hash, { country, weight });
  }

  /** The hashes ascending, and the country of each. */
  encode(): HashedNameArrays {
    const hashes = Uint32Array.from(this.#countries.keys()).sort();
    const countries = Uint16Array.from(hashes, (hash) => this.#countries.get(hash)?.country as number);
    return { hashes, countries };
  }
}

export interface HashedNameArrays {
  readonly hashes: Uint32Array;
  readonly countries: Uint16Array;
}

export const NO_HASHED_NAMES: HashedNameArrays = { hashes: new Uint32Array(0), countries: new Uint16Array(0) };
