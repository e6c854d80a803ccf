/**
 * Checks one country of a snapshot: that each structure is what its format says and that all of them agree with each
 * other. Reads the country's slices into memory of its own, so that verifying takes no more than the largest country.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { CountryEntry, Section } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS, type CountrySectionName } from '../../src/format/sections.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { type CountryStructures, decodeCountryStructures } from '../../src/store/snapshot.js';
import { checkAnswers } from './check-answers.js';
import { checkCountryNames } from './check-names.js';
import { checkPoints } from './check-points.js';
import { checkPostcodes } from './check-postcodes.js';
import { checkIds, checkOrders, checkTree, checkTrie } from './check-tree.js';

export interface VerifyCountryTask {
  readonly kind: 'verify-country';
  readonly path: string;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
  readonly pageUrl: string;
}

/** Throws SnapshotError where anything is off. */
export function verifyCountry({ path, entry, sections, pageUrl }: VerifyCountryTask): void {
  const structures = readStructures(path, entry, sections);
  checkTree(structures.tree, entry);
  checkIds(structures);
  const fields = checkAnswers(structures, entry.code, pageUrl);
  checkTrie(structures, fields);
  checkOrders(structures, fields);
  checkPostcodes(structures, fields, entry);
  checkPoints(structures, fields, entry.code);
  checkCountryNames(structures, fields, entry.code);
}

function readStructures(path: string, entry: CountryEntry, sections: readonly Section[]): CountryStructures {
  const fd = openSync(path, 'r');
  try {
    return decodeCountryStructures(entry.code, (name: CountrySectionName) => {
      const index = COUNTRY_SECTIONS.indexOf(name);
      const slice = entry.slices[index] ?? { offset: 0, length: 0 };
      return readBytes(fd, (sections[index]?.offset ?? 0) + slice.offset, slice.length);
    });
  } finally {
    closeSync(fd);
  }
}

/** Exactly `length` bytes from `offset`. Throws SnapshotError FILE_TOO_SHORT. */
export function readBytes(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) throw new SnapshotError('FILE_TOO_SHORT', `${length} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
  return bytes;
}
