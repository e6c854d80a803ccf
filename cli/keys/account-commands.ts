/**
 * The commands about developers' accounts: `accounts`, `account`, `suspend`, `resume`, `close` and `create --account`.
 * Commands that change an account take its id. An unknown address is never repeated.
 */

import { InvalidValueError } from '../../src/base/errors.js';
import { AccountDirectory } from '../../src/keys/accounts/account-directory.js';
import { AccountError } from '../../src/keys/accounts/account-error.js';
import { keysNamedBy, usedIn } from '../../src/keys/accounts/account-keys.js';
import { type Account, isAccountId } from '../../src/keys/accounts/account-record.js';
import { parseEmailAddress } from '../../src/keys/accounts/email-address.js';
import { type ActionResult, OperatorActions, unknownAccount } from '../../src/keys/accounts/operator-actions.js';
import { monthOf } from '../../src/keys/key/calendar.js';
import { isGood } from '../../src/keys/key/key-status.js';
import { answerMade, type CreateOptions, createRestrictions } from './clear-key-commands.js';
import { type CommandContext, type CommandOutput, requirePlan } from './command-context.js';
import { renderColumns, renderKeys } from './record-commands.js';

const EVENTS_SHOWN = 10;

export function parseAccountId(text: string): string {
  if (isAccountId(text)) return text;
  throw new InvalidValueError(
    'an account is named by its id, "acct_" and 12 characters of base32; keys accounts shows all ids',
  );
}

/** An account's id, or an address as accounts have it. */
export function parseAccountName(text: string): string {
  if (isAccountId(text)) return text;
  try {
    return parseEmailAddress(text);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    const message = 'an account is named by its id, "acct_" and 12 characters of base32, or by its e-mail address';
    throw new InvalidValueError(message, { cause: error });
  }
}

export async function listAccounts(context: CommandContext): Promise<CommandOutput> {
  const { nowMs, storeName, useStore, leaveOut } = context;
  const month = monthOf(nowMs).name;
  const accounts = await useStore(async (store) => {
    const listed = await new AccountDirectory(store).list(leaveOut);
    // One list of all keys is faster than one read per account. It is read last, so it has the keys of every account.
    const keys = new Map((await store.directory.list(leaveOut)).map((entry) => [entry.record.id, entry]));
    return await Promise.all(
      listed.map(async (account) => {
        const entries = await keysNamedBy(account.keyIds, async (ids) => ids.map((id) => keys.get(id)));
        const goodKeys = entries.filter(({ record }) => isGood(record, nowMs)).length;
        return { ...fieldsOf(account), goodKeys, used: usedIn(month, entries) };
      }),
    );
  });
  const rows = accounts.map(({ id, state, created, goodKeys, used, email }) => {
    return [id, state, created, String(goodKeys), String(used), email];
  });
  return {
    json: { accounts },
    text:
      rows.length === 0
        ? `No accounts in ${storeName}.\n`
        : renderColumns([['ID', 'STATE', 'CREATED', 'KEYS', 'USED', 'ADDRESS'], ...rows]),
  };
}

/** `name` is an id or an address. */
export async function showAccount(context: CommandContext, name: string): Promise<CommandOutput> {
  const { nowMs, useStore, leaveOut } = context;
  const { account, entries } = await useStore(async (store) => {
    const directory = new AccountDirectory(store);
    const found = await (isAccountId(name) ? directory.find(name) : directory.findByEmail(name));
    if (found === undefined) throw unknown(name);
    return { account: found.account, entries: await directory.keysOf(found.account, leaveOut) };
  });
  const month = monthOf(nowMs).name;
  const used = usedIn(month, entries);
  const keys = entries.map(({ record, usage }) => ({ ...record, used: usage.months.get(month) ?? 0 }));
  const events = account.events.toReversed();
  const rows = events.slice(0, EVENTS_SHOWN).map(({ at, act, keyId }) => [at, act, keyId ?? '']);
  return {
    json: { ...fieldsOf(account), month, used, keys, events },
    text: [
      renderColumns([
        ['ID', account.id],
        ['Address', account.email],
        ['State', account.state],
        ['Created', account.created],
        ['Used', `${used} in ${month}`],
      ]),
      entries.length === 0 ? 'It has no keys.\n' : renderKeys(entries, nowMs),
      renderColumns([['WHEN', 'WHAT', 'KEY'], ...rows]),
    ].join('\n'),
  };
}

export async function suspendAccount(context: CommandContext, id: string): Promise<CommandOutput> {
  const outcome = await act(context, (acts) => acts.suspend(id));
  if (!outcome.isChanged) return answerAct(outcome, 'is suspended already; nothing was changed.');
  return answerAct(
    outcome,
    `is suspended. ${describeRevoked(outcome)}\n` +
      `After keys resume ${id} the developer makes another key, which goes on with the count.`,
  );
}

export async function resumeAccount(context: CommandContext, id: string): Promise<CommandOutput> {
  const outcome = await act(context, (acts) => acts.resume(id));
  if (!outcome.isChanged) return answerAct(outcome, 'is active already; nothing was changed.');
  return answerAct(
    outcome,
    'is active again. Its keys stay revoked.\n' +
      `The developer makes another key, which goes on with the count; so does keys create --account ${id}`,
  );
}

export async function closeAccount(context: CommandContext, id: string): Promise<CommandOutput> {
  const outcome = await act(context, (acts) => acts.close(id));
  const { text } = answerAct(outcome, `is closed, and its address deleted. ${describeRevoked(outcome)}`);
  return { json: { id, closed: true, revokedKeys: outcome.revokedKeyIds }, text };
}

/** Without --plan, the key gets the plan of the key that it continues, else `free`. */
export async function createAccountKey(
  context: CommandContext,
  id: string,
  options: CreateOptions,
): Promise<CommandOutput> {
  if (options.plan !== undefined) requirePlan(context.config.plans, options.plan);
  const { name, plan, expires } = options;
  const restrictions = await createRestrictions(options);
  const { account, key, clearKey } = await act(context, (acts) =>
    acts.makeKey(id, { name, plan, expires, restrictions }),
  );
  const { json, text } = answerMade(key, clearKey, context, ` of ${account.email}`);
  return { json: { ...json, account: id }, text };
}

function act<Outcome>(context: CommandContext, run: (acts: OperatorActions) => Promise<Outcome>): Promise<Outcome> {
  const { nowMs, config } = context;
  return context.useStore((store) =>
    run(new OperatorActions(new AccountDirectory(store), config.keySecret, () => nowMs)),
  );
}

function unknown(name: string): AccountError {
  if (isAccountId(name)) return unknownAccount(name);
  return new AccountError('ACCOUNT_UNKNOWN', 'there is no account of this address: keys accounts shows all accounts');
}

/** The fields of an account in every output. */
function fieldsOf({ id, email, state, created }: Account): Pick<Account, 'id' | 'email' | 'state' | 'created'> {
  return { id, email, state, created };
}

function answerAct({ account, isChanged, revokedKeyIds }: ActionResult, fate: string): CommandOutput {
  return {
    json: { ...fieldsOf(account), changed: isChanged, revokedKeys: revokedKeyIds },
    text: `${account.id} (${account.email}) ${fate}\n`,
  };
}

function describeRevoked({ revokedKeyIds }: ActionResult): string {
  if (revokedKeyIds.length === 0) return 'It had no good keys.';
  return `Refused from now on, for good: ${revokedKeyIds.join(', ')}.`;
}
