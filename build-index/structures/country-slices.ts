/** Reads the slices of the countries in a section of a snapshot file, which may still be incomplete. */

import type { CountrySectionName } from '../../src/core/snapshot/header.js';
import type { CountryEntry, Section } from '../../src/core/snapshot/manifest.js';
import { readSlice } from '../../src/core/snapshot/snapshot-file.js';

export interface CountrySlice {
  /** The country's number in the manifest. */
  readonly country: number;
  readonly bytes: Uint8Array;
  /** The name of the slice, for errors. */
  readonly where: string;
}

export interface CountryContents {
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
}

/** The slice of each country with data, in the order of countries, read when it is asked for. */
export function* readCountrySlices(
  fd: number,
  { countries, sections }: CountryContents,
  name: CountrySectionName,
): Generator<CountrySlice> {
  for (const [country, entry] of countries.entries()) {
    if (entry.slices.length === 0) continue;
    yield { country, bytes: readSlice(fd, sections, entry, name), where: `${name} of ${entry.code}` };
  }
}
