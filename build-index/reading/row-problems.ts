/**
 * The kinds of problems of rows, and the tally for the report. Every row is either taken, merged, rejected, or removed
 * by a correction; a repaired row is also taken.
 */

import { printable } from '../reporting/printing.js';

export const PROBLEM_KINDS = {
  'merged: the same place twice': 'merged',
  'repaired: name taken from the innermost admin unit': 'repaired',
  'repaired: white space or control characters in a name': 'repaired',
  'repaired: postal code brought to normal form': 'repaired',
  'rejected: not 12 columns': 'rejected',
  'rejected: not valid UTF-8': 'rejected',
  'rejected: line longer than 10,000 characters': 'rejected',
  'rejected: no country of ISO 3166-1': 'rejected',
  'rejected: another country than its file': 'rejected',
  'rejected: no postal code, or one over 20 characters': 'rejected',
  'rejected: neither a place name nor an admin name': 'rejected',
  'rejected: a name over 200 characters': 'rejected',
  'rejected: coordinates missing or out of range': 'rejected',
} as const;

export type ProblemKind = keyof typeof PROBLEM_KINDS;

/** Maximum number of examples for each kind of problem. */
export const EXAMPLES_PER_KIND = 10;

/** The count of each kind that occurred, and the first rows as "file:line: text". */
export type Problems<Kind extends string> = Partial<Record<Kind, Problem>>;

export interface Problem {
  count: number;
  readonly examples: string[];
}

const ROW_COUNTS = ['rowsRead', 'rowsTaken', 'rowsMerged', 'rowsRepaired', 'rowsRejected'] as const;

export type Tally = Record<(typeof ROW_COUNTS)[number], number> & { readonly problems: Problems<ProblemKind> };

export function createRowTally(): Tally {
  return { rowsRead: 0, rowsTaken: 0, rowsMerged: 0, rowsRepaired: 0, rowsRejected: 0, problems: {} };
}

/** Counts one row under `kind`. Calls `example` only if the list of examples is not full. */
export function noteProblem<Kind extends string>(
  tally: { readonly problems: Problems<Kind> },
  kind: Kind,
  example: () => string,
): void {
  const problem = tally.problems[kind] ?? { count: 0, examples: [] };
  tally.problems[kind] = problem;
  problem.count++;
  if (problem.examples.length < EXAMPLES_PER_KIND) problem.examples.push(example());
}

/** Counts a line under `kind`; the example is its start. */
export function noteProblemLine<Kind extends string>(
  tally: { readonly problems: Problems<Kind> },
  kind: Kind,
  where: () => string,
  line: string,
): void {
  noteProblem(tally, kind, () => `${where()}: ${line.slice(0, 120)}`);
}

/** Why no line of a table was of use, as the end of a sentence: the first kind of problem, with an example. */
export function explainProblems(problems: Problems<string>): string {
  const [[kind, problem] = []] = Object.entries(problems);
  return problem === undefined ? '' : `; ${kind}: ${printable(problem.examples[0] ?? '')}`;
}

export function addRowTally(total: Tally, part: Tally): void {
  for (const count of ROW_COUNTS) total[count] += part[count];
  addProblems(total.problems, part.problems);
}

export function addProblems<Kind extends string>(total: Problems<Kind>, part: Problems<Kind>): void {
  for (const { kind, count, examples } of listProblems(part, Object.keys(part) as Kind[])) {
    const problem = total[kind] ?? { count: 0, examples: [] };
    total[kind] = problem;
    problem.count += count;
    problem.examples.push(...examples.slice(0, EXAMPLES_PER_KIND - problem.examples.length));
  }
}

/** The problems that occurred, in the order of `kinds`. */
export function listProblems<Kind extends string>(problems: Problems<Kind>, kinds: readonly Kind[]) {
  return kinds.flatMap((kind) => {
    const problem = problems[kind];
    return problem === undefined ? [] : [{ kind, ...problem }];
  });
}
