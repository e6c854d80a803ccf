/**
 * Plain text tables, lists of examples and figures for people. Tables align the first column left, all others right.
 */

import { formatCount } from './figures.js';
import { printable } from './printing.js';

export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A title with its count, and one line for each example. */
export function renderExamples(title: string, count: number, examples: readonly string[]): string {
  const shown = count > examples.length ? `, ${examples.length} of them` : '';
  return [`${title} (${formatCount(count)}${shown})`, ...examples.map((example) => `  ${printable(example)}`)].join(
    '\n',
  );
}
