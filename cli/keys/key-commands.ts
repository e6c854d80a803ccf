/**
 * The commands about keys. `create`, `replace` and `reveal` show a clear key: with KEY_SECRET a new key is also stored
 * sealed, so that it can be shown again; otherwise only this output shows it. No other command shows a clear key, a
 * sealed key or a digest.
 */

import { Option } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import type { MadeKey } from '../../src/keys/accounts/account-actions.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { monthOf } from '../../src/keys/key/calendar.js';
import {
  changeKeyExpiry,
  changeKeyPlan,
  changeKeyRestrictions,
  changeKeyToReplaced,
  changeKeyToRevoked,
  createSuccessor,
} from '../../src/keys/key/key-changes.js';
import { type KeyEntry, unknownKey } from '../../src/keys/key/key-directory.js';
import { KeyError } from '../../src/keys/key/key-error.js';
import { createKeyRecord, type KeyRecord, parseKeyName } from '../../src/keys/key/key-record.js';
import { createKeySeal, sealKey } from '../../src/keys/key/key-seal.js';
import { statusAt } from '../../src/keys/key/key-status.js';
import { createPlanFinder } from '../../src/keys/key/plan.js';
import { parseRestrictions, type Restrictions } from '../../src/keys/key/restrictions.js';
import { NO_USAGE } from '../../src/keys/key/usage-counts.js';
import {
  DEFAULT_VISITOR_RATE,
  formatVisitorRate,
  parseVisitorRate,
  type VisitorRate,
} from '../../src/keys/key/visitor-rate.js';
import { actAsOperator } from './account-commands.js';
import type { CommandContext, CommandOutput, KeysCommand } from './command-context.js';
import {
  optionWithArgument,
  parseAccountIdArgument,
  parseDurationArgument,
  parseOnlyOption,
  parseOriginOption,
  parseTimeArgument,
  requirePlan,
  wrongUsage,
} from './key-arguments.js';
import { renderKeyRecordTable, renderKeyTable, renderTableColumns } from './key-tables.js';

/** The options that bind a publishable key. */
interface RestrictionOptions {
  readonly origin?: readonly string[];
  /** Names of operations. */
  readonly only?: readonly string[];
  readonly visitorRate?: VisitorRate;
}

interface CreateOptions extends RestrictionOptions {
  /** An account's key has a default. */
  readonly name?: string;
  /** Default: `free`; of an account's key, the plan of the key that it continues. */
  readonly plan?: string;
  readonly expires?: string;
  /** An account's id. */
  readonly account?: string;
}

const TIME_HELP = '2027-01-01, for its start in UTC, or a time with its zone such as 2027-01-01T09:30Z';

/** `fallback` tells what holds without a visitor rate. */
function restrictionOptions(fallback = ''): Option[] {
  return [
    optionWithArgument(
      '--origin <origin>',
      'makes a publishable key, for web pages of this origin: https://shop.example, https://*.shop.example; once for each, up to 10',
      parseOriginOption,
    ),
    optionWithArgument(
      '--only <operations>',
      'what a publishable key may call: autocomplete,postcodes,check,nearby',
      parseOnlyOption,
    ),
    optionWithArgument(
      '--visitor-rate <rate>',
      `how often each visitor of the web pages may ask: 10/s, 60/m, 100/h, 300/d${fallback}`,
      parseVisitorRate,
    ),
  ];
}

export const keyCommands: readonly KeysCommand[] = [
  {
    usage: 'create',
    description: 'make a key and show it',
    examples: [
      'create --name "our website"',
      'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
      'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
      'create --account acct_r5ja31bemzkn',
    ],
    options: [
      optionWithArgument('--name <name>', 'whom or what the key is for, 1 to 100 characters', parseKeyName),
      new Option('--plan <plan>', 'one of PLANS; else free'),
      optionWithArgument('--expires <time>', `when it stops being good; else never: ${TIME_HELP}`, parseTimeArgument),
      optionWithArgument(
        '--account <account>',
        'the account that gets the key, which needs no --name then',
        parseAccountIdArgument,
      ),
      ...restrictionOptions(`; else ${formatVisitorRate(DEFAULT_VISITOR_RATE)}`),
    ],
    async run(context, { account, name, plan, expires, ...bound }: CreateOptions) {
      const { nowMs, config } = context;
      if (plan !== undefined) requirePlan(config.plans, plan);
      if (account !== undefined) {
        const fields = { name, plan, expires, restrictions: await createRestrictions(bound) };
        const made = await actAsOperator(context, (actions) => actions.makeKey(account, fields));
        return answerMade(made, context, ` of ${made.account.email}`, { account });
      }
      if (name === undefined) throw wrongUsage('keys create needs --name <name>: whom or what the key is for');
      const restrictions = await createRestrictions(bound);
      const clearKey = createApiKey(restrictions !== undefined);
      const record = createKeyRecord(name, new Date(nowMs), { plan, expires, restrictions });
      const key = sealKey(clearKey, record, config.keySecret);
      await context.makeStore(({ directory }) => directory.create({ ...key, usage: NO_USAGE }));
      return answerMade({ key, clearKey }, context);
    },
  },
  {
    usage: 'list',
    description: 'show all keys, oldest first',
    examples: ['list', 'list --store redis://localhost:6379/0 --json'],
    async run({ nowMs, storeName, useStore, leaveOut }) {
      const entries = await useStore(({ directory }) => directory.list(leaveOut));
      const text = entries.length === 0 ? `No keys in ${storeName}.\n` : renderKeyTable(entries, nowMs);
      return { json: { keys: entries.map(({ record }) => record) }, text };
    },
  },
  {
    usage: 'show <id>',
    description: 'show what is known of a key',
    examples: ['show key_ryzezvg41v28', 'show key_ryzezvg41v28 --json'],
    async run(context, _, id) {
      const { record, sealed, usage } = await findKey(context, id);
      const month = monthOf(context.nowMs).name;
      const revealable = sealed !== null;
      return {
        json: { ...record, revealable },
        text: renderKeyRecordTable(record, context.nowMs, [
          ['Used', `${usage.months.get(month) ?? 0} in ${month}`],
          [
            'Revealable',
            revealable ? 'yes, under the KEY_SECRET that it was made with' : 'no, made without KEY_SECRET',
          ],
        ]),
      };
    },
  },
  {
    usage: 'reveal <id>',
    description: 'show the clear key again',
    examples: ['reveal key_ryzezvg41v28'],
    async run(context, _, id) {
      const key = open(await findKey(context, id), context);
      return { json: { id, key }, text: `${key}\n` };
    },
  },
  {
    usage: 'replace <id>',
    description: 'make a key that takes the place of another',
    examples: ['replace key_ryzezvg41v28', 'replace key_ryzezvg41v28 --grace 24h'],
    options: [
      optionWithArgument(
        '--grace <duration>',
        'how long the old key stays good: 90s, 15m, 24h, 7d; else not at all',
        parseDurationArgument,
      ),
    ],
    run: (context, { grace = 0 }: { readonly grace?: number }, id) => replaceKey(context, id, grace),
  },
  {
    usage: 'revoke <id>',
    description: 'refuse a key for good',
    examples: ['revoke key_ryzezvg41v28'],
    run: (context, _, id) => changeKey(context, id, 'It is refused from now on, for good.', changeKeyToRevoked),
  },
  {
    usage: 'set-plan <id> <plan>',
    description: 'put a key on another plan',
    examples: ['set-plan key_ryzezvg41v28 business'],
    async run(context, _, id, plan) {
      requirePlan(context.config.plans, plan);
      const advice = `The limits of the plan ${plan} hold for it from now on.`;
      return await changeKey(context, id, advice, (record) => changeKeyPlan(record, plan));
    },
  },
  {
    usage: 'update <id>',
    description: 'change what a publishable key is bound to',
    examples: ['update key_ryzezvg41v28 --origin https://shop.example --visitor-rate 60/m'],
    options: restrictionOptions(),
    async run(context, { origin, only, visitorRate }: RestrictionOptions, id) {
      if (origin === undefined && only === undefined && visitorRate === undefined) {
        throw new InvalidValueError(
          'keys update needs --origin <origin>, --only <operations> or --visitor-rate <rate>',
        );
      }
      const change = {
        ...(origin !== undefined && { origins: origin }),
        ...(only !== undefined && { operations: await operationsOf(only) }),
        ...(visitorRate !== undefined && { visitorRate }),
      };
      const advice = 'This holds for it from now on.';
      return await changeKey(context, id, advice, (record) => changeKeyRestrictions(record, change));
    },
  },
  {
    usage: 'expire <id>',
    description: 'say until when a key is good; else until now',
    examples: [
      'expire key_ryzezvg41v28',
      'expire key_ryzezvg41v28 --at 2027-01-01T09:30+01:00',
      'expire key_ryzezvg41v28 --never',
    ],
    options: [
      optionWithArgument('--at <time>', TIME_HELP, parseTimeArgument),
      new Option('--never', 'it is good for ever').conflicts('at'),
    ],
    run(context, { at, never }: { readonly at?: string; readonly never?: boolean }, id) {
      const { nowMs } = context;
      const end = never ? null : (at ?? new Date(nowMs).toISOString());
      const advise = (record: KeyRecord): string =>
        statusAt(record, nowMs) === 'expired'
          ? `It is refused from now on. To make it good again: expire ${id} --never`
          : `It is good ${end === null ? 'for ever' : `until ${end}`}.`;
      return changeKey(context, id, advise, (record) => changeKeyExpiry(record, end));
    },
  },
  {
    usage: 'usage <id>',
    description: 'show how much a key was used, by months and days',
    examples: ['usage key_ryzezvg41v28', 'usage key_ryzezvg41v28 --json'],
    run: (context, _, id) => showUsage(context, id),
  },
];

/** The restrictions of a new key; undefined for a secret key. */
async function createRestrictions(options: RestrictionOptions): Promise<Restrictions | undefined> {
  const { origin, only, visitorRate = DEFAULT_VISITOR_RATE } = options;
  if (origin === undefined && only === undefined && options.visitorRate === undefined) return undefined;
  if (origin === undefined || only === undefined) {
    throw new InvalidValueError(
      'a publishable key needs --origin <origin> and --only <operations>: the web pages that may use it, and for what',
    );
  }
  return parseRestrictions({ origins: origin, operations: await operationsOf(only), visitorRate });
}

/** The table of routes is loaded only where it is needed. */
async function operationsOf(names: readonly string[]): Promise<readonly string[]> {
  const { parseKeyOperations } = await import('../../src/api/description/key-operations.js');
  return parseKeyOperations(names);
}

async function findKey({ useStore }: CommandContext, id: string): Promise<KeyEntry> {
  const found = await useStore(({ directory }) => directory.find(id));
  if (found === undefined) throw unknownKey(id);
  return found;
}

async function changeKey(
  { nowMs, useStore }: CommandContext,
  id: string,
  advice: string | ((record: KeyRecord) => string),
  change: (record: KeyRecord) => KeyRecord,
): Promise<CommandOutput> {
  const record = await useStore(({ directory }) => directory.change(id, change));
  const told = typeof advice === 'string' ? advice : advice(record);
  return { json: record, text: `${renderKeyRecordTable(record, nowMs)}\n${told}\n` };
}

type ClearKey = Pick<MadeKey, 'key' | 'clearKey'>;

/** The output for a new key, which `headline` tells of; `more` is appended to its JSON. */
function answerNewKey({ key, clearKey }: ClearKey, headline: string, more: object): CommandOutput {
  const { id, ...others } = key.record;
  const advice =
    key.sealed === null
      ? 'Keep it now: it is shown only this once, and the store has no more than its digest.'
      : `It can be shown again with: postal-places keys reveal ${id}`;
  return {
    json: { id, key: clearKey, ...others, ...more },
    text: `${headline}:\n\n  ${clearKey}\n\n${advice}\n`,
  };
}

/** `owner` is appended to the key's name. */
function answerMade(made: ClearKey, { nowMs, storeName: store }: CommandContext, owner = '', more = {}): CommandOutput {
  const { id, name, plan, expires, restrictions } = made.key.record;
  const kind = restrictions === undefined ? '' : 'publishable ';
  const isOver = statusAt(made.key.record, nowMs) === 'expired';
  const end = expires === null ? '' : isOver ? `, which expired at ${expires}` : `, good until ${expires}`;
  const headline = `Made the ${kind}key ${id} (${name})${owner} on the plan ${plan}${end}, in the store ${store}`;
  return answerNewKey(made, headline, { store, ...more });
}

/** The old key stays good for `graceMs`. */
async function replaceKey(context: CommandContext, oldId: string, graceMs: number): Promise<CommandOutput> {
  const { config, nowMs } = context;
  const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
  let made: ClearKey | undefined;
  const replaced = await context.useStore(({ directory }) =>
    // The function may run several times; the last successor is stored.
    directory.replace(oldId, (record) => {
      const clearKey = createApiKey(record.restrictions !== undefined);
      const key = sealKey(clearKey, createSuccessor(record, new Date(nowMs)), config.keySecret);
      made = { clearKey, key };
      return { replaced: changeKeyToReplaced(record, key.record.id, graceUntil, nowMs), successor: key };
    }),
  );
  const successor = made as unknown as ClearKey;
  const { id, name, plan } = successor.key.record;
  const end = [graceUntil, replaced.expires].filter((instant) => instant !== null).sort()[0];
  const fate = graceUntil === null ? 'is refused from now on' : `stays good until ${end}`;
  return answerNewKey(successor, `Replaced ${oldId}, which ${fate}, by ${id} (${name}) on the plan ${plan}`, {
    replaced,
  });
}

/** The clear key. Throws KeyError KEY_SEALED, which says what to do. */
function open({ record, sealed }: KeyEntry, { config, nowMs }: CommandContext): string {
  const { id } = record;
  const remedy =
    statusAt(record, nowMs) === 'active'
      ? `make another in its place with keys replace ${id}`
      : 'make another key with keys create';
  const refuse = (why: string, options?: ErrorOptions): never => {
    throw new KeyError('KEY_SEALED', why, options);
  };
  if (sealed === null)
    return refuse(`${id} was made while KEY_SECRET was not set, so nobody can show it again: ${remedy}`);
  if (config.keySecret === null) {
    return refuse(`${id} can't be shown while KEY_SECRET is not set: set it to what it was when the key was made`);
  }
  try {
    return createKeySeal(config.keySecret).open(sealed, id);
  } catch (cause) {
    if (!(cause instanceof KeyError)) throw cause;
    return refuse(`${cause.message}: set KEY_SECRET to the one it was sealed with, or ${remedy}`, { cause });
  }
}

async function showUsage(context: CommandContext, id: string): Promise<CommandOutput> {
  const { record, usage } = await findKey(context, id);
  const month = monthOf(context.nowMs);
  const plan = createPlanFinder(context.config.plans)(record.plan);
  const used = usage.months.get(month.name) ?? 0;
  const limit = plan.requestsPerMonth;
  const resetsAt = new Date(month.endMs).toISOString();
  const earlier = latestFirst(usage.months).filter(([name]) => name < month.name);
  const days = latestFirst(usage.days);
  return {
    json: {
      ...{ id, plan: record.plan, month: month.name, used, limit, resetsAt },
      months: earlier.map(([name, count]) => ({ month: name, used: count })),
      days: days.map(([day, count]) => ({ day, used: count })),
    },
    text:
      `${id} (${record.name}) is on the plan ${record.plan}` +
      `${plan.name === record.plan ? '' : `, which PLANS lacks: the limits of the plan ${plan.name} hold for it`}.\n` +
      `Used in ${month.name}: ${used}${limit === null ? ', without a limit' : ` of ${limit}`}. ` +
      `The count starts again at ${resetsAt}.\n${renderCounts('MONTH', earlier)}${renderCounts('DAY', days)}`,
  };
}

function latestFirst(counts: ReadonlyMap<string, number>): (readonly [string, number])[] {
  return [...counts].sort(([one], [other]) => (one < other ? 1 : -1));
}

/** A table after an empty line; '' without rows. */
function renderCounts(heading: string, counts: readonly (readonly [string, number])[]): string {
  if (counts.length === 0) return '';
  return `\n${renderTableColumns([[heading, 'USED'], ...counts.map(([name, count]) => [name, String(count)])])}`;
}
