/** The commands that change a key's record: `revoke`, `set-plan` and `expire`. Each shows the new record. */

import { expire, revoke, setPlan } from '../../src/keys/key-changes.js';
import type { KeyRecord } from '../../src/keys/key-record.js';
import { requirePlan } from './arguments.js';
import type { CommandContext, CommandOutput } from './command-context.js';
import { describeRecord, stateAt } from './key-text.js';

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
    stateAt(record, context.nowMs) === 'expired'
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
