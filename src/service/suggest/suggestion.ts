import type { Country } from '../../store/snapshot.js';

/** A place that is suggested. */
export interface Suggestion {
  readonly country: Country;
  readonly place: number;
}
