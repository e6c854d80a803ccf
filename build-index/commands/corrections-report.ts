/** The section of a build report about corrections: how many were applied, and which are stale and can be removed. */
import { CORRECTION_ACTIONS } from '../corrections/correction.js';
import { type CorrectionReport, STALE_KINDS } from '../corrections/correction-tally.js';
import { listProblems } from '../reading/build-problem.js';
import { formatCount, printable, renderExamples, renderTable } from '../reporting/tables.js';

/** The section of the JSON report; null without corrections. */
export function correctionsAsObject(report: CorrectionReport | null): object | null {
  if (report === null) return null;
  const { applied, rowsRemoved, stale } = report.tally;
  return {
    files: report.files,
    applied,
    rowsRemoved,
    stale,
    problems: listProblems(report.tally.problems, STALE_KINDS).map(([kind, problem]) => ({ kind, ...problem })),
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
    ...listProblems(report.tally.problems, STALE_KINDS).map(([kind, { count, examples }]) =>
      renderExamples(kind, count, examples),
    ),
  ];
  return blocks.join('\n\n');
}
