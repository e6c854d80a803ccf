/**
 * The releases whose changes are known, the newest first: each has a list of changes, and the lists lead to the served
 * snapshot. Examples of a list are read once, for the first page that shows them.
 */

import { createHash } from 'node:crypto';
import { oncePer } from '../../base/once-per.js';
import { CHANGE_KINDS, type CountryChanges, type PlaceChange } from '../../core/snapshot/changes-file.js';
import { type ChangesList, identifyReleaseChanges } from '../../core/snapshot/release-changes.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';

/** Maximum number of countries with examples. */
const EXAMPLE_COUNTRIES = 20;
/** Maximum number of examples of each kind of a country. */
const EXAMPLES_PER_KIND = 3;

export function knownReleases(snapshot: Snapshot): readonly ChangesList[] {
  return snapshot.changes.lists();
}

/** The list that leads to a release; of several with that name, the newest. */
export function findRelease(snapshot: Snapshot, release: string): ChangesList | undefined {
  return knownReleases(snapshot).find(({ header }) => header.release === release);
}

/** The variant of pages that are made from the lists, for their entity tags. */
export function variantOfReleases(lists: readonly ChangesList[]): string {
  return createHash('sha256').update(identifyReleaseChanges(lists)).digest('hex').slice(0, 12);
}

/** The number of listed changes. */
function changeCount(counts: CountryChanges): number {
  return CHANGE_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
}

export interface CountryExamples {
  readonly changes: CountryChanges;
  readonly examples: readonly PlaceChange[];
}

/** Of countries that had places before and have places now, those with the most changes first. */
export const examplesOf = oncePer((list: ChangesList): readonly CountryExamples[] => {
  const changed = list.header.countries
    .filter(({ bytes, placesBefore, placesAfter }) => bytes !== null && placesBefore > 0 && placesAfter > 0)
    .sort((a, b) => changeCount(b) - changeCount(a))
    .slice(0, EXAMPLE_COUNTRIES);
  return changed.flatMap((changes) => {
    const examples = CHANGE_KINDS.flatMap(
      (kind) => list.read(changes, kind, 0, Math.min(changes[kind], EXAMPLES_PER_KIND)) ?? [],
    );
    return examples.length === 0 ? [] : [{ changes, examples }];
  });
});
