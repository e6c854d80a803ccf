/**
 * Slugs, unique among siblings. The plain slug of a name goes to an admin unit first, then to the leaf of the lowest
 * postal code; whoever comes later adds its postal code, and if that is taken too a counter from 2. Plain slugs are
 * given out before any other, so no made-up slug ever pushes out a natural one.
 */
import { slugOf } from '../../src/format/slug.js';
import { compareCodePoints } from './name-order.js';

export interface Sibling {
  readonly name: string;
  readonly postalCode: string | null;
}

/** Makes slugs and remembers what each name's is: names repeat a lot within a country. */
export class Slugger {
  private readonly plainSlugs = new Map<string, string>();

  /** A slug for each sibling, in the order given, which decides between siblings of equal claim. */
  assign(siblings: readonly Sibling[]): string[] {
    const slugs = siblings.map((sibling) => this.plainSlug(sibling));
    const taken = new Set(slugs);
    if (taken.size === slugs.length) return slugs;

    const claims = siblings.map((_, index) => index).sort((a, b) => compareClaims(siblings, a, b) || a - b);
    const plainGiven = new Set<string>();
    const counters = new Map<string, number>();
    for (const index of claims) {
      const plain = slugs[index] as string;
      if (!plainGiven.has(plain)) {
        plainGiven.add(plain);
        continue;
      }
      const { postalCode } = siblings[index] as Sibling;
      const base = postalCode === null ? plain : `${plain}-${slugOf(postalCode)}`;
      let slug = base;
      for (let count = counters.get(base) ?? 2; taken.has(slug); count++) {
        slug = `${base}-${count}`;
        counters.set(base, count + 1);
      }
      taken.add(slug);
      slugs[index] = slug;
    }
    return slugs;
  }

  private plainSlug({ name, postalCode }: Sibling): string {
    let slug = this.plainSlugs.get(name);
    if (slug === undefined) {
      slug = slugOf(name);
      this.plainSlugs.set(name, slug);
    }
    return slug || slugOf(postalCode ?? '') || 'place';
  }
}

function compareClaims(siblings: readonly Sibling[], a: number, b: number): number {
  const codeA = siblings[a]?.postalCode ?? null;
  const codeB = siblings[b]?.postalCode ?? null;
  if (codeA === codeB) return 0;
  if (codeA === null) return -1;
  if (codeB === null) return 1;
  return compareCodePoints(codeA, codeB);
}
