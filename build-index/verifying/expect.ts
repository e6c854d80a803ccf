/** The one way a check of contents fails. */
import { structureError } from '../../src/format/snapshot-error.js';

/** Throws SnapshotError STRUCTURE_INVALID unless `holds`. `found` is only called for the message. */
export function expect(holds: boolean, where: string, expected: string, found: () => unknown): asserts holds {
  if (!holds) throw structureError(where, expected, String(found()));
}
