/**
 * Prints the report of a command for people: the object that `--json` prints, as facts, tables and lists. So each figure is
 * said once, in the code and in both forms. Keys become words, lengths and counts get their units, and an object that
 * counts a `kind` with `examples` becomes a list.
 */

import { formatBytes, formatCount } from './format-figures.js';
import { printable, printText } from './printing.js';

/** Maximum length of a list on one line, in characters: a line of a terminal. */
const MAX_LINE_LENGTH = 100;

/** Prints a report on standard output. `forPeople` has the same figures where people need them in other words. */
export function printReport(report: object, asJson: boolean | undefined, forPeople: object = report): void {
  printText(asJson ? `${JSON.stringify(report)}\n` : reportAsText(forPeople));
}

/** A list of objects is one table; of an object, facts come first, then a block for each list and part. */
export function reportAsText(report: object): string {
  const blocks = Array.isArray(report) ? blocksOfList('', report) : blocksOfObject('', report);
  return `${blocks.join('\n\n')}\n`;
}

function blocksOfObject(title: string, report: object): string[] {
  const facts: string[][] = [];
  const blocks: string[] = [];
  for (const [key, value] of Object.entries(report)) {
    const text = textOf(key, value);
    const label = title === '' ? labelOf(key) : `${title}: ${labelOf(key)}`;
    if (isList(value)) blocks.push(...blocksOfList(label, value));
    else if (Array.isArray(value) && text.length > MAX_LINE_LENGTH) blocks.push(indented(label, value.map(textOfItem)));
    else if (isPart(value)) blocks.push(...blocksOfObject(label, value));
    else facts.push([labelOf(key), text]);
  }
  const width = Math.max(...facts.map(([label = '']) => label.length));
  const lines = facts.map(([label = '', text]) => `${label.padEnd(width)}  ${text}`);
  if (lines.length === 0) return blocks;
  return [title === '' ? lines.join('\n') : indented(title, lines), ...blocks];
}

/**
 * A table of the objects, then the lists in them; or a list of examples for each kind. A column without anything in it is
 * left out.
 */
function blocksOfList(title: string, list: readonly object[]): string[] {
  const rows = list as readonly Readonly<Record<string, unknown>>[];
  const [first] = rows;
  if (first === undefined) return ['none'];
  if ('examples' in first) return list.map((kind) => blockOfKind(kind as CountedKind));
  const [firstKey, ...keys] = Object.keys(first);
  const isShown = (key: string): boolean =>
    !rows.some((row) => isList(row[key])) && rows.some((row) => !NOTHING.has(textOf(key, row[key])));
  const shown = [firstKey as string, ...keys.filter(isShown)];
  const table = renderTable(
    shown.map(labelOf),
    rows.map((row) => shown.map((key) => textOf(key, row[key]))),
  );
  const inner = rows.flatMap((row) => Object.values(row).filter(isList));
  return [title === '' ? table : `${title}\n${table}`, ...inner.flatMap((part) => blocksOfList('', part))];
}

const NOTHING: ReadonlySet<string> = new Set(['none', 'no', '0', '0.0', '0 B', '0.00 %']);

interface CountedKind {
  readonly kind: string;
  readonly count: number;
  readonly examples: readonly unknown[];
}

function blockOfKind({ kind, count, examples, ...rest }: CountedKind): string {
  const shown = count > examples.length && examples.length > 0 ? `, ${examples.length} of them` : '';
  const more = Object.entries(rest).map(([key, value]) => `${labelOf(key)}: ${textOf(key, value)}`);
  return indented(`${printable(kind)} (${formatCount(count)}${shown})`, [...more, ...examples.map(textOfItem)]);
}

function indented(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Whether a value is a list of objects. */
function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && typeof value[0] === 'object';
}

/** Whether a value is an object with more than texts and numbers. */
function isPart(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((part) => part !== null && typeof part === 'object')
  );
}

function textOfItem(value: unknown): string {
  return textOf('', value);
}

/** A value on one line. */
function textOf(key: string, value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.map((one) => textOf(key, one)).join(', ');
  if (typeof value === 'object') {
    const parts = Object.entries(value).map(([name, part]) => `${labelOf(name)} ${textOf(name, part)}`);
    return parts.length === 0 ? 'none' : parts.join(', ');
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return printable(String(value));
  if (key.endsWith('Id')) return String(value);
  if (/bytes$/i.test(key)) return formatBytes(value);
  if (key.endsWith('Percent')) return `${value.toFixed(2)} %`;
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(1);
}

/** "peak memory" for peakMemoryBytes, "size" for bytes; a code such as DE stays. */
function labelOf(key: string): string {
  if (!/^[a-z]/.test(key)) return printable(key);
  const words = key.replace(/(?:Bytes|Percent)$/, '').replace(/^bytes$/, 'size');
  return printable(words.replace(/(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Z])/g, ' ').toLowerCase());
}

/** A plain table; columns of figures are aligned right, all others left. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const columns = headings.map((_, column) => ({
    width: Math.max(...lines.map((line) => (line[column] ?? '').length)),
    isOfFigures: rows.every((row) => /^[<>]?[\d.,]*(?: [kMGT]?B| %)?$/.test(row[column] ?? '')),
  }));
  const pad = (cell: string, column: number): string => {
    const { width, isOfFigures } = columns[column] as (typeof columns)[number];
    return isOfFigures ? cell.padStart(width) : cell.padEnd(width);
  };
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}
