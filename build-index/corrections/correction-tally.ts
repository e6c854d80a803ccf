/** Counts the corrections: each is either applied or stale. */

import { addProblems, noteProblem, type Problems } from '../reading/row-problems.js';
import { CORRECTION_ACTIONS, type Correction, type CorrectionAction, describeCorrection } from './correction.js';

/** Why a correction was not applied. */
export const STALE_KINDS = [
  'stale: the release has caught up',
  'stale: the release has no row of that code and name',
] as const;

type StaleKind = (typeof STALE_KINDS)[number];

export interface CorrectionTally {
  readonly applied: Record<CorrectionAction, number>;
  /** Number of removed rows, which were read but not taken; several rows may be one place. */
  rowsRemoved: number;
  stale: number;
  /** The stale corrections by kind, with examples as "file:line: correction". */
  problems: Problems<StaleKind>;
}

/** The corrections of a build, for its report. */
export interface CorrectionReport {
  readonly files: readonly string[];
  readonly tally: CorrectionTally;
}

export function createCorrectionTally(): CorrectionTally {
  return { applied: { add: 0, remove: 0, rename: 0, move: 0, recode: 0 }, rowsRemoved: 0, stale: 0, problems: {} };
}

/** `detail` is appended to the description of the correction; it may be empty. */
export function noteStaleCorrection(
  tally: CorrectionTally,
  kind: StaleKind,
  correction: Correction,
  detail: string,
): void {
  tally.stale++;
  noteProblem(tally, kind, () => `${correction.where}: ${describeCorrection(correction)}${detail}`);
}

export function addCorrectionTally(total: CorrectionTally, part: CorrectionTally): void {
  for (const action of CORRECTION_ACTIONS) total.applied[action] += part.applied[action];
  total.rowsRemoved += part.rowsRemoved;
  total.stale += part.stale;
  addProblems(total.problems, part.problems);
}
