/** A place that is suggested, and the scope of a search for places. */

import { structuresOf } from '../lookup/countries.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { readKindField } from '../snapshot/place-fields.js';
import type { PlaceType } from '../snapshot/place-type.js';
import type { Country } from '../snapshot/snapshot.js';
import type { Position } from '../snapshot/sphere.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';

/** A place that is suggested. */
export interface Suggestion {
  readonly country: Country;
  readonly place: number;
  /** The full code of the place that the line has. */
  readonly fullCode?: FullCode | undefined;
}

/* What a search for places is limited to, and what it favours. */

export interface SearchScope {
  /** Countries with data, each once, at least one; undefined for all countries. */
  readonly countries?: readonly Country[] | undefined;
  /** Undefined for all types. */
  readonly types?: readonly PlaceType[] | undefined;
  /** Places near this point come first among equals: see nearness.ts. */
  readonly near?: Position | undefined;
  /** Whether recipients come after all other places. */
  readonly areRecipientsLast?: boolean;
}

/** Whether a search is about places of this type. */
export function isOfTypes({ country, place }: Suggestion, { types }: SearchScope, work: WorkBudget): boolean {
  if (types === undefined) return true;
  return work.spend(WORK.text) && (types as readonly string[]).includes(readKindField(structuresOf(country), place));
}
