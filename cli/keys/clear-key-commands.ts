/**
 * The commands that show a clear key: `create`, `replace` and `reveal`. With KEY_SECRET a new key is also stored
 * sealed, so that it can be shown again; otherwise only this output shows it.
 */

import { InvalidValueError } from '../../src/base/errors.js';
import { createApiKey } from '../../src/keys/api-key.js';
import { createKeySeal, type NewKey, sealKey, unknownKey } from '../../src/keys/key-directory.js';
import {
  createKeyRecord,
  createSuccessor,
  KeyError,
  type KeyRecord,
  replace,
  restrict,
} from '../../src/keys/key-record.js';
import { FREE_PLAN, NO_USAGE } from '../../src/keys/plan.js';
import {
  DEFAULT_VISITOR_RATE,
  parseRestrictions,
  type Restrictions,
  type VisitorRate,
} from '../../src/keys/restrictions.js';
import { type CommandContext, type CommandOutput, requirePlan } from './command-context.js';
import { describeRecord, stateAt } from './record-commands.js';

/* The options that bind a publishable key, for `create` and `update`, and the command `update`. */

export interface RestrictionOptions {
  readonly origin?: readonly string[];
  /** Names of operations. */
  readonly only?: readonly string[];
  readonly visitorRate?: VisitorRate;
}

/** The restrictions of a new key; undefined for a secret key. Throws InvalidValueError. */
export async function createRestrictions(options: RestrictionOptions): Promise<Restrictions | undefined> {
  const { origin, only, visitorRate = DEFAULT_VISITOR_RATE } = options;
  if (origin === undefined && only === undefined && options.visitorRate === undefined) return undefined;
  if (origin === undefined || only === undefined) {
    throw new InvalidValueError(
      'a publishable key needs --origin <origin> and --only <operations>: the web pages that may use it, and for what',
    );
  }
  return parseRestrictions({ origins: origin, operations: await operationsOf(only), visitorRate });
}

/** Changes what was given of a publishable key's restrictions. */
export async function updateKey(
  { nowMs, useStore }: CommandContext,
  id: string,
  { origin, only, visitorRate }: RestrictionOptions,
): Promise<CommandOutput> {
  if (origin === undefined && only === undefined && visitorRate === undefined) {
    throw new InvalidValueError('keys update needs --origin <origin>, --only <operations> or --visitor-rate <rate>');
  }
  const change = {
    ...(origin !== undefined && { origins: origin }),
    ...(only !== undefined && { operations: await operationsOf(only) }),
    ...(visitorRate !== undefined && { visitorRate }),
  };
  const record = await useStore(({ directory }) => directory.change(id, (old) => restrict(old, change)));
  return { json: record, text: `${describeRecord(record, nowMs)}\nThis holds for it from now on.\n` };
}

/** The table of routes is loaded only where it is needed. */
async function operationsOf(names: readonly string[]): Promise<readonly string[]> {
  const { parseKeyOperations } = await import('../../src/api/description/key-operations.js');
  return parseKeyOperations(names);
}

export interface CreateOptions extends RestrictionOptions {
  /** An account's key has a default. */
  readonly name?: string;
  readonly plan?: string;
  readonly expires?: string;
}

export async function createKey(
  context: CommandContext,
  { name, plan = FREE_PLAN, expires, ...options }: CreateOptions & { readonly name: string },
): Promise<CommandOutput> {
  requirePlan(context.config.plans, plan);
  const restrictions = await createRestrictions(options);
  const key = createApiKey(restrictions !== undefined);
  const record = createKeyRecord(name, new Date(context.nowMs), { plan, expires, restrictions });
  const entry = newKey(context, key, record);
  await context.makeStore(({ directory }) => directory.create({ ...entry, usage: NO_USAGE }));
  return answerMade(entry, key, context);
}

/** The output for a new key; `owner` is appended to its name. */
export function answerMade(
  entry: NewKey,
  key: string,
  { nowMs, storeName: store }: CommandContext,
  owner = '',
): CommandOutput {
  const { id, ...others } = entry.record;
  const { name, plan, restrictions } = others;
  return {
    json: { id, key, ...others, store },
    text:
      `Made the ${restrictions === undefined ? '' : 'publishable '}key ${id} (${name})${owner} on the plan ${plan}${describeEnd(entry.record, nowMs)}, ` +
      `in the store ${store}:\n\n  ${key}\n\n${adviseKeeping(entry)}`,
  };
}

/** The old key stays good for `graceMs`. */
export async function replaceKey(context: CommandContext, oldId: string, graceMs: number): Promise<CommandOutput> {
  const { nowMs } = context;
  const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
  const made: { readonly key: string; readonly entry: NewKey }[] = [];
  const replaced = await context.useStore(({ directory }) =>
    directory.replace(oldId, (record) => {
      const key = createApiKey(record.restrictions !== undefined);
      const successor = newKey(context, key, createSuccessor(record, new Date(nowMs)));
      made.push({ key, entry: successor });
      return { replaced: replace(record, successor.record.id, graceUntil, nowMs), successor };
    }),
  );
  // The function may have run several times; the last successor was stored.
  const { key, entry } = made.at(-1) as (typeof made)[number];
  const { id, ...others } = entry.record;
  const end = [graceUntil, replaced.expires].filter((instant) => instant !== null).sort()[0];
  const fate = graceUntil === null ? 'is refused from now on' : `stays good until ${end}`;
  return {
    json: { id, key, ...others, replaced },
    text:
      `Replaced ${oldId}, which ${fate}, by ${id} (${others.name}) on the plan ${others.plan}:\n\n  ${key}\n\n` +
      adviseKeeping(entry),
  };
}

export async function revealKey({ config, nowMs, useStore }: CommandContext, id: string): Promise<CommandOutput> {
  const found = await useStore(({ directory }) => directory.find(id));
  if (found === undefined) throw unknownKey(id);
  const remedy =
    stateAt(found.record, nowMs) === 'active'
      ? `make another in its place with keys replace ${id}`
      : 'make another key with keys create';
  if (found.sealed === null) {
    throw new KeyError(
      'KEY_SEALED',
      `${id} was made while KEY_SECRET was not set, so nobody can show it again: ${remedy}`,
    );
  }
  if (config.keySecret === null) {
    throw new KeyError(
      'KEY_SEALED',
      `${id} can't be shown while KEY_SECRET is not set: set it to what it was when the key was made`,
    );
  }
  const key = open(config.keySecret, found.sealed, id, remedy);
  return { json: { id, key }, text: `${key}\n` };
}

function open(secret: string, sealed: string, id: string, remedy: string): string {
  try {
    return createKeySeal(secret).open(sealed, id);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new KeyError('KEY_SEALED', `${error.message}: set KEY_SECRET to the one it was sealed with, or ${remedy}`, {
      cause: error,
    });
  }
}

function newKey({ config }: CommandContext, key: string, record: KeyRecord): NewKey {
  return sealKey(key, record, config.keySecret);
}

function describeEnd(record: KeyRecord, nowMs: number): string {
  if (record.expires === null) return '';
  return stateAt(record, nowMs) === 'expired'
    ? `, which expired at ${record.expires}`
    : `, good until ${record.expires}`;
}

function adviseKeeping({ record, sealed }: NewKey): string {
  return sealed === null
    ? 'Keep it now: it is shown only this once, and the store has no more than its digest.\n'
    : `It can be shown again with: postal-places keys reveal ${record.id}\n`;
}
