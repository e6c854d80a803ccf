/** Reads the slices of the countries in a section of a snapshot file, which may still be incomplete. */
import type { CountryEntry, Section } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS, type CountrySectionName } from '../../src/format/sections.js';
import { readSection, readSlice } from '../../src/store/snapshot-reading.js';

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

/** The slice of each country with data, in the order of countries: views of the section, which is read at once. */
export function readCountrySlices(
  fd: number,
  { countries, sections }: CountryContents,
  name: CountrySectionName,
): CountrySlice[] {
  const section = readSection(fd, sections, name);
  const index = COUNTRY_SECTIONS.indexOf(name);
  return countries.flatMap(({ code, slices }, country) => {
    const { offset, length } = slices[index] ?? { offset: 0, length: 0 };
    const bytes = section.subarray(offset, offset + length);
    return length === 0 ? [] : [{ country, bytes, where: `${name} of ${code}` }];
  });
}

/** The same slices, read one after the other, so that memory has one of them at a time. */
export function* streamCountrySlices(
  fd: number,
  { countries, sections }: CountryContents,
  name: CountrySectionName,
): Generator<CountrySlice> {
  for (const [country, entry] of countries.entries()) {
    if (entry.slices.length === 0) continue;
    yield { country, bytes: readSlice(fd, sections, entry, name), where: `${name} of ${entry.code}` };
  }
}
