/**
 * Checks one country of a snapshot: each structure follows its format, and the structures agree with each other. Reads
 * the country's slices into memory, so that verifying needs memory for the largest country.
 */
import type { CountryEntry, Section } from '../../src/format/manifest.js';
import { decodeCountryStructures } from '../../src/store/snapshot.js';
import { readSlice, withFile } from '../../src/store/snapshot-reading.js';
import type { Task } from '../pool/pool.js';
import { checkAnswers } from './check-answers.js';
import { checkContexts } from './check-contexts.js';
import { checkFacts } from './check-facts.js';
import { checkCountryNames } from './check-names.js';
import { checkOldPaths } from './check-old-paths.js';
import { checkPoints } from './check-points.js';
import { checkPositions } from './check-positions.js';
import { checkPostcodes } from './check-postcodes.js';
import { checkIds, checkOrders, checkTree, checkTrie } from './check-tree.js';

export interface VerifyCountryTask extends Task<undefined> {
  readonly kind: 'verify-country';
  readonly path: string;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
  readonly pageUrl: string;
}

/** Throws SnapshotError STRUCTURE_INVALID, or what reading the slices throws. */
export function verifyCountry({ path, entry, sections, pageUrl }: VerifyCountryTask): void {
  const structures = withFile(path, (fd) =>
    decodeCountryStructures(entry.code, (name) => readSlice(fd, sections, entry, name)),
  );
  checkTree(structures.tree, entry);
  checkIds(structures, entry.code);
  const fields = checkAnswers(structures, entry.code, pageUrl);
  checkTrie(structures, fields, entry.code);
  checkOrders(structures, fields, entry.code);
  checkPostcodes(structures, fields, entry);
  checkPositions(structures, fields, entry.code);
  checkPoints(structures, fields, entry.code);
  checkCountryNames(structures, fields, entry.code);
  checkContexts(structures, fields, entry);
  checkOldPaths(structures, fields, entry.code);
  checkFacts(structures, fields, entry.code);
}
