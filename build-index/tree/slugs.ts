/**
 * Slugs of released names as cleaning corrects them, unique among siblings. The plain slug of a name goes to an admin
 * unit first, then to the locality with the lowest postal code, then to the recipient with the lowest, then by name and
 * id. Every other sibling appends its postal code and, if that slug is taken, a counter from 2. Plain slugs are assigned
 * before extended slugs, so an extended slug never takes a plain one.
 */

import { distinctionSlugOf, slugOf } from '../../src/core/snapshot/fold-text.js';
import { compareCodePoints } from '../ordering/name-order.js';

/**
 * Assigns slugs to one range of siblings after another. Caches the plain slug of each name, since names repeat a lot.
 */
export class Slugger {
  /** The slugs assigned so far, by place number. */
  readonly slugs: string[] = [];
  private readonly plainSlugs = new Map<string, string>();

  /**
   * `names` are the released names and `postalCodes` the codes (null for admin units) of all places, by place number.
   * `compareSiblings` orders places by released name, then id.
   */
  constructor(
    private readonly names: readonly string[],
    private readonly postalCodes: readonly (string | null)[],
    private readonly isRecipient: (place: number) => boolean,
    private readonly compareSiblings: (placeA: number, placeB: number) => number,
  ) {}

  /** Assigns slugs to the siblings from `start` (the number of slugs so far) to `end` (excluded). */
  assign(start: number, end: number): void {
    for (let place = start; place < end; place++) this.slugs.push(this.plainSlug(place));
    if (end - start < 2) return;
    const taken = new Set<string>();
    for (let place = start; place < end; place++) taken.add(this.slugs[place] as string);
    if (taken.size < end - start) this.resolveConflicts(start, end, taken);
  }

  private resolveConflicts(start: number, end: number, taken: Set<string>): void {
    const claimants = Array.from({ length: end - start }, (_, index) => start + index);
    claimants.sort(
      (a, b) =>
        Number(this.isRecipient(a)) - Number(this.isRecipient(b)) ||
        compareByCode(this.postalCodes[a] ?? null, this.postalCodes[b] ?? null) ||
        this.compareSiblings(a, b),
    );
    const plainGiven = new Set<string>();
    const counters = new Map<string, number>();
    for (const place of claimants) {
      const plain = this.slugs[place] as string;
      if (!plainGiven.has(plain)) {
        plainGiven.add(plain);
        continue;
      }
      const postalCode = this.postalCodes[place] ?? null;
      const base = [plain, distinctionSlugOf(postalCode ?? '')].filter((part) => part !== '').join('-');
      let slug = base;
      for (let count = counters.get(base) ?? 2; taken.has(slug); count++) {
        slug = `${base}-${count}`;
        counters.set(base, count + 1);
      }
      taken.add(slug);
      this.slugs[place] = slug;
    }
  }

  private plainSlug(place: number): string {
    const name = this.names[place] as string;
    let slug = this.plainSlugs.get(name);
    if (slug === undefined) {
      slug = slugOf(name);
      this.plainSlugs.set(name, slug);
    }
    return slug || slugOf(this.postalCodes[place] ?? '') || 'place';
  }
}

/** Admin units (without a code) first, then leaves by code. */
function compareByCode(codeA: string | null, codeB: string | null): number {
  if (codeA === codeB) return 0;
  if (codeA === null) return -1;
  if (codeB === null) return 1;
  return compareCodePoints(codeA, codeB);
}
