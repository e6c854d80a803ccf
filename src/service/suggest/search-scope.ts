/** What a search for places is limited to, and what it favours. */
import type { PlaceType } from '../../format/place-levels.js';
import type { Position } from '../../format/spherical-mean.js';
import { readKind } from '../../store/place-fields.js';
import type { Country } from '../../store/snapshot.js';
import { WORK, type WorkBudget } from '../../store/work-budget.js';
import { structuresOf } from '../find-country.js';
import type { Suggestion } from './suggestion.js';

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
  return work.spend(WORK.text) && (types as readonly string[]).includes(readKind(structuresOf(country), place));
}
