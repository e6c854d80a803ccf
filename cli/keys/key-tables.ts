/** How keys are printed for people: one by its fields, several as a table. */

import { monthOf } from '../../src/keys/key/calendar.js';
import type { KeyEntry } from '../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../src/keys/key/key-record.js';
import { statusAt } from '../../src/keys/key/key-status.js';
import { formatVisitorRate } from '../../src/keys/key/visitor-rate.js';

/** The fields of a key, one per line, followed by `more`. */
export function renderKeyRecordTable(
  record: KeyRecord,
  nowMs: number,
  more: readonly (readonly [string, string])[] = [],
): string {
  const { id, name, plan, created, expires, replacedBy, graceUntil, restrictions } = record;
  const fields: (readonly [string, string])[] = [
    ['ID', id],
    ['Name', name],
    ['Kind', kindOf(record)],
    ['State', statusAt(record, nowMs)],
    ['Plan', plan],
    ['Created', created],
    ['Expires', expires ?? 'never'],
  ];
  if (replacedBy !== null) fields.push(['Replaced by', replacedBy]);
  if (graceUntil !== null) fields.push(['Grace until', graceUntil]);
  if (restrictions !== undefined) {
    const { origins, operations, visitorRate } = restrictions;
    fields.push(['Origins', origins.join(', ')], ['Operations', operations.join(', ')]);
    fields.push(['Visitor rate', formatVisitorRate(visitorRate)]);
  }
  return renderTableColumns([...fields, ...more]);
}

/** A table of keys, with their requests in this month. */
export function renderKeyTable(entries: readonly KeyEntry[], nowMs: number): string {
  const month = monthOf(nowMs).name;
  const rows = entries.map(({ record, usage }) => {
    const { id, plan, created, expires, name } = record;
    const used = String(usage.months.get(month) ?? 0);
    return [id, statusAt(record, nowMs), plan, created, expires ?? 'never', used, kindOf(record), name];
  });
  return renderTableColumns([['ID', 'STATE', 'PLAN', 'CREATED', 'EXPIRES', 'USED', 'KIND', 'NAME'], ...rows]);
}

function kindOf({ restrictions }: KeyRecord): string {
  return restrictions === undefined ? 'secret' : 'publishable';
}

/** Rows as lines, their cells below each other. */
export function renderTableColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows
    .map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
