/** A place that a postal code, a position or an address leads to, and the postal code that was found with it. */

import type { FullCode } from '../snapshot/full-codes.js';
import { readListFields } from '../snapshot/place-fields.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

export interface FoundPlace {
  readonly structures: CountryStructures;
  /** The number of the place. */
  readonly place: number;
  /** Number of places of the postal code; undefined if the place was not found by a code alone. */
  readonly placeCount?: number;
  /** The full code that was looked up. */
  readonly fullCode?: FullCode | undefined;
  /** Whether the place is the town of an address without a code, or of a code that the data lack: its own code says nothing. */
  readonly isTown?: boolean;
}

/** As the data have it; null for the town of an address without a code, and for a unit. */
export function postcodeOfFound({ structures, place, fullCode, isTown = false }: FoundPlace): string | null {
  return isTown ? null : (fullCode?.postcode ?? readListFields(structures, place).postalCode);
}
