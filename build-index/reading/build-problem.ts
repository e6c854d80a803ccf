/**
 * The kinds of rows that a build does not simply take, and the tally that the report is made of. Every row read ends in
 * exactly one of taken, merged and rejected, or is removed by a correction; a repaired row is taken as well.
 */

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

export const EXAMPLES_PER_KIND = 10;

/** For each kind that occurred: how often, and the first few rows as "file:line: text". */
export type Problems<Kind extends string> = Partial<Record<Kind, { count: number; examples: string[] }>>;

export interface Tally {
  rowsRead: number;
  rowsTaken: number;
  rowsMerged: number;
  rowsRepaired: number;
  rowsRejected: number;
  problems: Problems<ProblemKind>;
}

export function createTally(): Tally {
  return { rowsRead: 0, rowsTaken: 0, rowsMerged: 0, rowsRepaired: 0, rowsRejected: 0, problems: {} };
}

/** Notes one row under `kind`. `example` is only called where there is room for another example. */
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

export function addTally(total: Tally, part: Tally): void {
  total.rowsRead += part.rowsRead;
  total.rowsTaken += part.rowsTaken;
  total.rowsMerged += part.rowsMerged;
  total.rowsRepaired += part.rowsRepaired;
  total.rowsRejected += part.rowsRejected;
  for (const [name, { count, examples }] of Object.entries(part.problems)) {
    const kind = name as ProblemKind;
    total.problems[kind] ??= { count: 0, examples: [] };
    const problem = total.problems[kind];
    problem.count += count;
    problem.examples.push(...examples.slice(0, EXAMPLES_PER_KIND - problem.examples.length));
  }
}
