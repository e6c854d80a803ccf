/**
 * Checks of a decoded manifest: what opening a snapshot relies on, that is names, codes, and the position of every
 * section and slice.
 */
import { alignUp } from './array-bundle.js';
import { HEADER_BYTES } from './header.js';
import type { CountryEntry, Manifest, Section } from './manifest.js';
import { type CountrySectionName, PAGE_BYTES, SLICE_ALIGNMENT, type WorldSectionName } from './sections.js';
import { SnapshotError } from './snapshot-error.js';

/** Throws SnapshotError MANIFEST_DAMAGED. */
export function checkCountries(countries: readonly CountryEntry[], version: number): void {
  let previous = '';
  for (const country of countries) {
    const wellFormed =
      /^[A-Z]{2}$/.test(country.code) &&
      country.code > previous &&
      (version < 8 || /^[A-Z]{3}$/.test(country.alpha3)) &&
      country.name !== '' &&
      country.slug !== '';
    if (!wellFormed) {
      throw new SnapshotError(
        'MANIFEST_DAMAGED',
        'countries ascending by two-letter code, each with a three-letter code',
        JSON.stringify(country.code),
      );
    }
    previous = country.code;
  }
}

/**
 * Checks that the section table has these sections, one after the other, the last ending at `sectionEnd` or before, and
 * that the slices of each section follow each other. Throws SnapshotError SECTION_TABLE_INVALID.
 */
export function checkSections(
  manifest: Manifest,
  countrySections: readonly CountrySectionName[],
  worldSections: readonly WorldSectionName[],
  sectionEnd: number,
): void {
  const expected = [...countrySections, ...worldSections].join();
  const names = manifest.sections.map((section) => section.name);
  if (names.join() !== expected) {
    throw new SnapshotError('SECTION_TABLE_INVALID', `sections ${expected}`, names.join() || 'none');
  }
  let end = HEADER_BYTES;
  for (const { name, offset, length } of manifest.sections) {
    const start = alignUp(end, PAGE_BYTES);
    if (offset !== start || offset + length > sectionEnd) {
      throw new SnapshotError(
        'SECTION_TABLE_INVALID',
        `${name} at ${start}, within ${sectionEnd} bytes`,
        `${length} bytes at ${offset}`,
      );
    }
    end = offset + length;
  }
  checkSlices(manifest, countrySections);
}

function checkSlices(manifest: Manifest, countrySections: readonly CountrySectionName[]): void {
  countrySections.forEach((name, index) => {
    let sliceEnd = 0;
    for (const country of manifest.countries) {
      const slice = country.slices[index];
      if (slice === undefined) continue;
      const sectionLength = (manifest.sections[index] as Section).length;
      const start = alignUp(sliceEnd, SLICE_ALIGNMENT);
      if (slice.offset !== start || slice.offset + slice.length > sectionLength) {
        throw new SnapshotError(
          'SECTION_TABLE_INVALID',
          `the slice of ${country.code} in ${name} at ${start}, within ${sectionLength} bytes`,
          `${slice.length} bytes at ${slice.offset}`,
        );
      }
      sliceEnd = slice.offset + slice.length;
    }
    if (sliceEnd !== manifest.sections[index]?.length) {
      throw new SnapshotError('SECTION_TABLE_INVALID', `${name} to end with its last slice`, `at ${sliceEnd}`);
    }
  });
}
