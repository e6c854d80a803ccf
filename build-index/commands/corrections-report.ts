/** What a build reports of corrections by hand: how many were applied, and which are stale and may be taken out. */
import { CORRECTION_ACTIONS } from '../corrections/correction.js';
import { type CorrectionReport, type CorrectionTally, STALE_KINDS } from '../corrections/correction-tally.js';
import { EXAMPLES_PER_KIND } from '../reading/build-problem.js';
import { formatCount, printable, renderTable } from '../reporting/tables.js';

/** An object for the report of machines; null where no corrections were given. */
export function correctionsAsObject(report: CorrectionReport | null): object | null {
  if (report === null) return null;
  const { applied, rowsRemoved, stale } = report.tally;
  return {
    files: report.files,
    applied,
    rowsRemoved,
    stale,
    problems: listStale(report.tally).map(([kind, problem]) => ({ kind, ...problem })),
  };
}

export function correctionsAsText(report: CorrectionReport | null): string {
  if (report === null) return '';
  const { applied, rowsRemoved, stale } = report.tally;
  const blocks = [
    `corrections of ${report.files.map(printable).join(', ')}`,
    renderTable(
      ['corrections', 'count'],
      [
        ...CORRECTION_ACTIONS.map((action) => [`applied: ${action}`, formatCount(applied[action])]),
        ['stale', formatCount(stale)],
        ['(rows that were read and removed)', formatCount(rowsRemoved)],
      ],
    ),
    ...listStale(report.tally).map(([kind, { count, examples }]) => {
      const shown = count > EXAMPLES_PER_KIND ? `, the first ${EXAMPLES_PER_KIND}` : '';
      return [`${kind} (${formatCount(count)}${shown})`, ...examples.map((example) => `  ${printable(example)}`)].join(
        '\n',
      );
    }),
  ];
  return blocks.join('\n\n');
}

function listStale({ problems }: CorrectionTally) {
  return STALE_KINDS.flatMap((kind) => {
    const problem = problems[kind];
    return problem === undefined ? [] : [[kind, problem] as const];
  });
}
