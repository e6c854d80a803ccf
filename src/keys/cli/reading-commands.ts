/** The commands that only look: `list`, `show` and `usage`. None of them shows a clear, a sealed or a digested key. */

import { monthOf } from '../calendar-month.js';
import { type KeyEntry, unknownKey } from '../key-store.js';
import { createPlanFinder } from '../plan.js';
import type { Answer, CommandContext } from './command-context.js';
import { describeRecord, renderColumns, stateAt } from './key-text.js';

export async function listKeys({ nowMs, storeName, useStore, leaveOut }: CommandContext): Promise<Answer> {
  const entries = await useStore((store) => store.list(leaveOut));
  const json = { keys: entries.map(({ record }) => record) };
  if (entries.length === 0) return { json, text: `No keys in ${storeName}.\n` };
  const month = monthOf(nowMs).name;
  const rows = entries.map(({ record, usage }) => {
    const { id, plan, created, expires, name } = record;
    const used = String(usage.get(month) ?? 0);
    return [id, stateAt(record, nowMs), plan, created, expires ?? 'never', used, name];
  });
  return { json, text: renderColumns([['ID', 'STATE', 'PLAN', 'CREATED', 'EXPIRES', 'USED', 'NAME'], ...rows]) };
}

export async function showKey(context: CommandContext, id: string): Promise<Answer> {
  const { record, sealed, usage } = await findKey(context, id);
  const month = monthOf(context.nowMs).name;
  const revealable = sealed !== null;
  return {
    json: { ...record, revealable },
    text: describeRecord(record, context.nowMs, [
      ['Used', `${usage.get(month) ?? 0} in ${month}`],
      ['Revealable', revealable ? 'yes, under the KEY_SECRET that it was made with' : 'no, made without KEY_SECRET'],
    ]),
  };
}

export async function showUsage(context: CommandContext, id: string): Promise<Answer> {
  const { record, usage } = await findKey(context, id);
  const month = monthOf(context.nowMs);
  const plan = createPlanFinder(context.config.plans)(record.plan);
  const used = usage.get(month.name) ?? 0;
  const limit = plan.requestsPerMonth;
  const resetsAt = new Date(month.endMs).toISOString();
  const months = [...usage]
    .filter(([name]) => name < month.name)
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .map(([name, count]) => ({ month: name, used: count }));
  const rows = months.map((before) => [before.month, String(before.used)]);
  return {
    json: { id, plan: record.plan, month: month.name, used, limit, resetsAt, months },
    text:
      `${id} (${record.name}) is on the plan ${record.plan}` +
      `${plan.name === record.plan ? '' : `, which PLANS lacks: the limits of the plan ${plan.name} hold for it`}.\n` +
      `Used in ${month.name}: ${used}${limit === null ? ', without a limit' : ` of ${limit}`}. ` +
      `The count starts again at ${resetsAt}.\n` +
      (rows.length === 0 ? '' : `\n${renderColumns([['MONTH', 'USED'], ...rows])}`),
  };
}

async function findKey({ useStore }: CommandContext, id: string): Promise<KeyEntry> {
  const found = await useStore((store) => store.find(id));
  if (found === undefined) throw unknownKey(id);
  return found;
}
