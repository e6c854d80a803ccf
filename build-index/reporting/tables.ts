/**
 * Plain text tables, lists of examples and figures for people. Tables align the first column left, all others right.
 */

import { escapeUnprintable } from '../../src/base/errors.js';

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

/** "1,234,567" */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 country", "1,234 countries" */
export function formatNumberOf(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}

/** "12.3 MB": decimal units, as disks are sold and files are listed. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** "99.12 %"; 0 and 100 only if the part is nothing or the whole. */
export function formatShare(part: number, whole: number): string {
  const text = whole === 0 ? '0.00' : ((100 * part) / whole).toFixed(2);
  if (text === '0.00' && part > 0) return '<0.01 %';
  if (text === '100.00' && part < whole) return '>99.99 %';
  return `${text} %`;
}

/** The text of a hostile row on one line, with control characters escaped. A tab becomes a bar. */
export function printable(text: string): string {
  return escapeUnprintable(text.replaceAll('\t', ' | '));
}
