/** The ranks that a search for a name has found so far, best first, each once. */

import type { NameQuery } from './name-query.js';
import { orderByNearness } from './nearness.js';
import { isOfTypes, type Suggestion } from './suggestion.js';

export class FoundRanks {
  readonly #ranks: number[] = [];
  /** The ranks of same-name places (see name-index.ts), which only fill slots that stay empty. */
  readonly #sameName: number[] = [];
  readonly #firstSameName: number;

  constructor(
    private readonly names: NameQuery,
    private readonly limit: number,
  ) {
    this.#firstSameName = names.index.firstSameName[0] as number;
  }

  /** The number of ranks without those of same-name places. */
  get count(): number {
    return this.#ranks.length;
  }

  get isFull(): boolean {
    return this.#ranks.length >= this.limit;
  }

  get isEmpty(): boolean {
    return this.#ranks.length + this.#sameName.length === 0;
  }

  /** Whether a rank below `end` was found. */
  hasBelow(end: number): boolean {
    return this.#ranks.some((rank) => rank < end);
  }

  /** Adds ranks, best first, until the list is full. */
  take(ranks: ArrayLike<number>): void {
    const ordered = orderByNearness(this.names, ranks);
    for (let at = 0; at < ordered.length && !this.isFull; at++) {
      const rank = ordered[at] as number;
      const list = rank < this.#firstSameName ? this.#ranks : this.#sameName;
      if (list.length < this.limit && !list.includes(rank) && this.#isOfTypes(rank)) list.push(rank);
    }
  }

  /** Adds those of some ascending ranks that are lower than `end`. */
  takeBelow(ranks: ArrayLike<number>, end: number): void {
    const below: number[] = [];
    for (let at = 0; at < ranks.length && (ranks[at] as number) < end; at++) below.push(ranks[at] as number);
    this.take(below);
  }

  /** Inserts the first `most` of some ranks that were not found before rank number `position`. */
  insert(position: number, ranks: readonly number[], most: number): void {
    const added = new Set(ranks.filter((rank) => !this.#ranks.includes(rank) && this.#isOfTypes(rank)));
    this.#ranks.splice(position, 0, ...[...added].slice(0, most));
  }

  get first(): number | undefined {
    return this.#ranks[0];
  }

  /** The ranks that fit. */
  filter(fits: (rank: number) => boolean): number[] {
    return this.#ranks.filter(fits);
  }

  /** Puts ranks among the first `count`, each unless a better rank would have to leave these. */
  keep(ranks: readonly number[], count: number): void {
    ranks.forEach((rank, at) => {
      const position = count - ranks.length + at;
      const known = this.#ranks.indexOf(rank);
      if ((known !== -1 && known < count) || (this.#ranks[count - 1] ?? rank) < rank) return;
      if (known !== -1) this.#ranks.splice(known, 1);
      this.#ranks.splice(position, 0, rank);
    });
  }

  /** The places of the ranks; then same-name places, if none of their name in their unit is there. */
  listPlaces(): Suggestion[] {
    const places: Suggestion[] = [];
    for (let at = 0; at < this.#ranks.length && at < this.limit; at++) {
      const found = this.names.suggestionOf(this.#ranks[at] as number);
      if (found !== undefined) places.push(found);
    }
    for (const rank of this.#sameName) {
      if (places.length >= this.limit) break;
      const candidate = this.names.suggestionOf(rank);
      if (candidate !== undefined && !this.names.hasSameName(places, candidate)) places.push(candidate);
    }
    return places;
  }

  #isOfTypes(rank: number): boolean {
    const { scope, work } = this.names;
    const found = scope.types && this.names.suggestionOf(rank);
    return found === undefined || isOfTypes(found, scope, work);
  }
}
