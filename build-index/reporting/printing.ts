/**
 * Prints all output of the commands. Text from a release, a snapshot or a server may contain control characters, so
 * they are escaped here. In JSON the escapes are JSON's own, so that values stay equal.
 */

import { getSystemErrorMap } from 'node:util';
import { escapeUnprintable } from '../../src/base/escape-text.js';

/** Prints a report, whole lines, on standard output. */
export function printReport(text: string): void {
  writeOutput(escapeLines(text));
}

/** Prints a message, of one line or several, on standard error. */
export function printMessage(message: string): void {
  process.stderr.write(`${escapeLines(`postal-places: ${message}`)}\n`);
}

/** Writes to standard output. A full disk or a closed pipe ends the process with exit code 1. */
export function writeOutput(text: string): void {
  if (!process.stdout.listeners('error').includes(endWithoutOutput)) process.stdout.on('error', endWithoutOutput);
  process.stdout.write(text);
}

/** The command was executed, but its output is lost. */
export function endWithoutOutput({ message }: Error): void {
  printMessage(`the output can't be written (${message})`);
  process.exit(1);
}

/** Keeps line feeds. Text that must stay on one line goes through `printable` before. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/* Describes errors of the operating system, such as a missing file or a full disk. */

type SystemError = NodeJS.ErrnoException & { readonly syscall: string; readonly dest?: string };

export function isSystemError(error: unknown): error is SystemError {
  return (error as Partial<SystemError> | null)?.syscall !== undefined;
}

/** "/data/current: no such file or directory (ENOENT)"; without a path, the system call: "write: no space left …". */
export function describeSystemError(error: SystemError): string {
  const { code, errno, syscall, path = syscall, dest, message } = error;
  const [, words] = getSystemErrorMap().get(errno ?? 0) ?? [];
  if (words === undefined) return message;
  return `${dest === undefined ? path : `${path} to ${dest}`}: ${words} (${code})`;
}

/*
 * Plain text tables, lists of examples and figures for people. Tables align the first column left, all others right.
 */

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
