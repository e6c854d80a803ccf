/** What became of corrections: every one is applied or stale, and counted once. */
import { EXAMPLES_PER_KIND, noteProblem, type Problems } from '../reading/build-problem.js';
import { CORRECTION_ACTIONS, type Correction, type CorrectionAction, describeCorrection } from './correction.js';

/** Why a correction was not applied. */
export const STALE_KINDS = [
  'stale: the release has caught up',
  'stale: the release has no row of that code and name',
] as const;

export type StaleKind = (typeof STALE_KINDS)[number];

export interface CorrectionTally {
  readonly applied: Record<CorrectionAction, number>;
  /** Rows of the release, of which several may be one place, that were removed: they were read, and not taken. */
  rowsRemoved: number;
  stale: number;
  /** The stale corrections by their kind, with examples as "file:line: correction". */
  problems: Problems<StaleKind>;
}

/** What a build tells of the corrections that it was given. */
export interface CorrectionReport {
  readonly files: readonly string[];
  readonly tally: CorrectionTally;
}

export function createCorrectionTally(): CorrectionTally {
  return { applied: { add: 0, remove: 0, rename: 0, move: 0, recode: 0 }, rowsRemoved: 0, stale: 0, problems: {} };
}

/** `detail` is what is known of the row besides the correction itself; it may be empty. */
export function noteStale(tally: CorrectionTally, kind: StaleKind, correction: Correction, detail: string): void {
  tally.stale++;
  noteProblem(tally, kind, () => `${correction.where}: ${describeCorrection(correction)}${detail}`);
}

export function addCorrectionTally(total: CorrectionTally, part: CorrectionTally): void {
  for (const action of CORRECTION_ACTIONS) total.applied[action] += part.applied[action];
  total.rowsRemoved += part.rowsRemoved;
  total.stale += part.stale;
  for (const kind of STALE_KINDS) {
    const { count, examples } = part.problems[kind] ?? { count: 0, examples: [] };
    if (count === 0) continue;
    const problem = total.problems[kind] ?? { count: 0, examples: [] };
    total.problems[kind] = problem;
    problem.count += count;
    problem.examples.push(...examples.slice(0, EXAMPLES_PER_KIND - problem.examples.length));
  }
}
