/** Types of lookups.mjs for the checks, which are TypeScript. */

import type { Snapshot } from '../../../src/core/snapshot/snapshot.js';

export interface BenchLookup {
  /** A key of the service. */
  readonly useCase: string;
  readonly name: string;
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
}

export function listLookups(snapshot: Snapshot, wanted: number): BenchLookup[];
