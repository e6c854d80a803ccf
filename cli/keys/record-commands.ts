/** The commands that change a key's record: `revoke`, `set-plan` and `expire`. Each shows the new record. */

import { monthOf } from '../../src/keys/key/calendar.js';
import { expire, revoke, setPlan } from '../../src/keys/key/key-changes.js';
import { type KeyEntry, unknownKey } from '../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../src/keys/key/key-record.js';
import { statusAt } from '../../src/keys/key/key-status.js';
import { createPlanFinder } from '../../src/keys/key/plan.js';
import { formatVisitorRate } from '../../src/keys/key/visitor-rate.js';
import { type CommandContext, type CommandOutput, requirePlan } from './command-context.js';

export function revokeKey(context: CommandContext, id: string): Promise<CommandOutput> {
  return changeKey(context, id, revoke, () => 'It is refused from now on, for good.');
}

export async function setKeyPlan(context: CommandContext, id: string, plan: string): Promise<CommandOutput> {
  requirePlan(context.config.plans, plan);
  const change = (record: KeyRecord) => setPlan(record, plan);
  return changeKey(context, id, change, () => `The limits of the plan ${plan} hold for it from now on.`);
}

/** `expires` is an instant, null for never, or undefined for now. */
export function expireKey(context: CommandContext, id: string, expires?: string | null): Promise<CommandOutput> {
  const end = expires === undefined ? new Date(context.nowMs).toISOString() : expires;
  const change = (record: KeyRecord) => expire(record, end);
  return changeKey(context, id, change, (record) =>
    statusAt(record, context.nowMs) === 'expired'
      ? `It is refused from now on. To make it good again: expire ${id} --never`
      : `It is good ${end === null ? 'for ever' : `until ${end}`}.`,
  );
}

async function changeKey(
  { nowMs, useStore }: CommandContext,
  id: string,
  change: (record: KeyRecord) => KeyRecord,
  advise: (record: KeyRecord) => string,
): Promise<CommandOutput> {
  const record = await useStore(({ directory }) => directory.change(id, change));
  return { json: record, text: `${describeRecord(record, nowMs)}\n${advise(record)}\n` };
}

/* The read-only commands `list`, `show` and `usage`. None of them shows a clear key, a sealed key or a digest. */

export async function listKeys({ nowMs, storeName, useStore, leaveOut }: CommandContext): Promise<CommandOutput> {
  const entries = await useStore(({ directory }) => directory.list(leaveOut));
  const json = { keys: entries.map(({ record }) => record) };
  if (entries.length === 0) return { json, text: `No keys in ${storeName}.\n` };
  return { json, text: renderKeys(entries, nowMs) };
}

export async function showKey(context: CommandContext, id: string): Promise<CommandOutput> {
  const { record, sealed, usage } = await findKey(context, id);
  const month = monthOf(context.nowMs).name;
  const revealable = sealed !== null;
  return {
    json: { ...record, revealable },
    text: describeRecord(record, context.nowMs, [
      ['Used', `${usage.months.get(month) ?? 0} in ${month}`],
      ['Revealable', revealable ? 'yes, under the KEY_SECRET that it was made with' : 'no, made without KEY_SECRET'],
    ]),
  };
}

export async function showUsage(context: CommandContext, id: string): Promise<CommandOutput> {
  const { record, usage } = await findKey(context, id);
  const month = monthOf(context.nowMs);
  const plan = createPlanFinder(context.config.plans)(record.plan);
  const used = usage.months.get(month.name) ?? 0;
  const limit = plan.requestsPerMonth;
  const resetsAt = new Date(month.endMs).toISOString();
  const months = latestFirst(usage.months)
    .filter(([name]) => name < month.name)
    .map(([name, count]) => ({ month: name, used: count }));
  const days = latestFirst(usage.days).map(([name, count]) => ({ day: name, used: count }));
  return {
    json: { id, plan: record.plan, month: month.name, used, limit, resetsAt, months, days },
    text:
      `${id} (${record.name}) is on the plan ${record.plan}` +
      `${plan.name === record.plan ? '' : `, which PLANS lacks: the limits of the plan ${plan.name} hold for it`}.\n` +
      `Used in ${month.name}: ${used}${limit === null ? ', without a limit' : ` of ${limit}`}. ` +
      `The count starts again at ${resetsAt}.\n` +
      renderCounts(
        'MONTH',
        months.map((one) => [one.month, one.used]),
      ) +
      renderCounts(
        'DAY',
        days.map((one) => [one.day, one.used]),
      ),
  };
}

function latestFirst(counts: ReadonlyMap<string, number>): (readonly [string, number])[] {
  return [...counts].sort(([one], [other]) => (one < other ? 1 : -1));
}

/** A table after an empty line; '' without rows. */
function renderCounts(heading: string, counts: readonly (readonly [string, number])[]): string {
  if (counts.length === 0) return '';
  return `\n${renderColumns([[heading, 'USED'], ...counts.map(([name, count]) => [name, String(count)])])}`;
}

async function findKey({ useStore }: CommandContext, id: string): Promise<KeyEntry> {
  const found = await useStore(({ directory }) => directory.find(id));
  if (found === undefined) throw unknownKey(id);
  return found;
}

/** The fields of a key, one per line, followed by `more`. */
export function describeRecord(
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
  return renderColumns([...fields, ...more]);
}

/** A table of keys, with their requests in this month. */
export function renderKeys(entries: readonly KeyEntry[], nowMs: number): string {
  const month = monthOf(nowMs).name;
  const rows = entries.map(({ record, usage }) => {
    const { id, plan, created, expires, name } = record;
    const used = String(usage.months.get(month) ?? 0);
    return [id, statusAt(record, nowMs), plan, created, expires ?? 'never', used, kindOf(record), name];
  });
  return renderColumns([['ID', 'STATE', 'PLAN', 'CREATED', 'EXPIRES', 'USED', 'KIND', 'NAME'], ...rows]);
}

function kindOf({ restrictions }: KeyRecord): string {
  return restrictions === undefined ? 'secret' : 'publishable';
}

/** Rows as lines, their cells below each other. */
export function renderColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows
    .map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
