/**
 * The commands about developers' accounts. Commands that change an account take its id. An unknown address is never
 * repeated.
 */

import type { AccountFate } from '../../src/keys/accounts/account-actions.js';
import { AccountDirectory } from '../../src/keys/accounts/account-directory.js';
import { AccountError, unknownAccountError } from '../../src/keys/accounts/account-error.js';
import { countAccountKeyRequests, keysNamedBy } from '../../src/keys/accounts/account-keys.js';
import { type Account, isAccountId } from '../../src/keys/accounts/account-record.js';
import { OperatorActions } from '../../src/keys/accounts/operator-actions.js';
import { monthOf } from '../../src/keys/key/calendar.js';
import { hasGoodKeyStatus } from '../../src/keys/key/key-status.js';
import type { CommandContext, CommandOutput, KeysCommand } from './command-context.js';
import { renderKeyTable, renderTableColumns } from './key-tables.js';

const EVENTS_SHOWN = 10;

export const accountCommands: readonly KeysCommand[] = [
  {
    usage: 'accounts',
    description: 'show all accounts of developers, oldest first',
    examples: ['accounts', 'accounts --json'],
    run: (context) => listAccounts(context),
  },
  {
    usage: 'account <account-or-address>',
    description: 'show an account, its keys and what happened',
    examples: ['account acct_r5ja31bemzkn', 'account grace@example.com --json'],
    run: (context, _, name) => showAccount(context, name),
  },
  fateCommand('suspend', 'refuse the keys of an account for good, and let it make none', (fate, id) =>
    fate.isChanged
      ? `is suspended. ${describeRevoked(fate)}\n` +
        `After keys resume ${id} the developer makes another key, which goes on with the count.`
      : 'is suspended already; nothing was changed.',
  ),
  fateCommand('resume', 'let a suspended account make keys again', (fate, id) =>
    fate.isChanged
      ? 'is active again. Its keys stay revoked.\n' +
        `The developer makes another key, which goes on with the count; so does keys create --account ${id}`
      : 'is active already; nothing was changed.',
  ),
  fateCommand('close', 'delete an account with its address, and refuse its keys for good', (fate) => {
    return `is closed, and its address deleted. ${describeRevoked(fate)}`;
  }),
];

/** The command for an action on an account; `tell` completes a sentence that begins with the account. */
function fateCommand(
  action: 'suspend' | 'resume' | 'close',
  description: string,
  tell: (fate: AccountFate, id: string) => string,
): KeysCommand {
  return {
    usage: `${action} <account>`,
    description,
    examples: [`${action} acct_r5ja31bemzkn`],
    async run(context, _, id) {
      const fate = await actAsOperator(context, (actions) => actions[action](id));
      const { account, isChanged, revokedKeyIds: revokedKeys } = fate;
      // Of a closed account nothing is left to show.
      const shown = action === 'close' ? { id, closed: true } : { ...fieldsOf(account), changed: isChanged };
      return { json: { ...shown, revokedKeys }, text: `${id} (${account.email}) ${tell(fate, id)}\n` };
    },
  };
}

/** Runs an action of the operator on the store of the command. */
export function actAsOperator<Result>(
  { nowMs, config, useStore }: CommandContext,
  run: (actions: OperatorActions) => Promise<Result>,
): Promise<Result> {
  return useStore((store) => run(new OperatorActions(new AccountDirectory(store), config.keySecret, () => nowMs)));
}

async function listAccounts(context: CommandContext): Promise<CommandOutput> {
  const { nowMs, storeName, useStore, leaveOut } = context;
  const month = monthOf(nowMs).name;
  const accounts = await useStore(async (store) => {
    const listed = await new AccountDirectory(store).list(leaveOut);
    // One list of all keys is faster than one read per account. It is read last, so it has the keys of every account.
    const keys = new Map((await store.directory.list(leaveOut)).map((entry) => [entry.record.id, entry]));
    return await Promise.all(
      listed.map(async (account) => {
        const entries = await keysNamedBy(account.keyIds, async (ids) => ids.map((id) => keys.get(id)));
        const goodKeys = entries.filter(({ record }) => hasGoodKeyStatus(record, nowMs)).length;
        return { ...fieldsOf(account), goodKeys, used: countAccountKeyRequests(month, entries) };
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
        : renderTableColumns([['ID', 'STATE', 'CREATED', 'KEYS', 'USED', 'ADDRESS'], ...rows]),
  };
}

/** `name` is an id or an address. */
async function showAccount(context: CommandContext, name: string): Promise<CommandOutput> {
  const { nowMs, useStore, leaveOut } = context;
  const { account, entries } = await useStore(async (store) => {
    const directory = new AccountDirectory(store);
    const found = await (isAccountId(name) ? directory.find(name) : directory.findByEmail(name));
    if (found === undefined) throw unknown(name);
    return { account: found.account, entries: await directory.keysOf(found.account, leaveOut) };
  });
  const month = monthOf(nowMs).name;
  const used = countAccountKeyRequests(month, entries);
  const keys = entries.map(({ record, usage }) => ({ ...record, used: usage.months.get(month) ?? 0 }));
  const events = account.events.toReversed();
  const rows = events.slice(0, EVENTS_SHOWN).map(({ at, act, keyId }) => [at, act, keyId ?? '']);
  return {
    json: { ...fieldsOf(account), month, used, keys, events },
    text: [
      renderTableColumns([
        ['ID', account.id],
        ['Address', account.email],
        ['State', account.state],
        ['Created', account.created],
        ['Used', `${used} in ${month}`],
      ]),
      entries.length === 0 ? 'It has no keys.\n' : renderKeyTable(entries, nowMs),
      renderTableColumns([['WHEN', 'WHAT', 'KEY'], ...rows]),
    ].join('\n'),
  };
}

function unknown(name: string): AccountError {
  if (isAccountId(name)) return unknownAccountError(name);
  return new AccountError('ACCOUNT_UNKNOWN', 'there is no account of this address: keys accounts shows all accounts');
}

/** The fields of an account in every output. */
function fieldsOf({ id, email, state, created }: Account): Pick<Account, 'id' | 'email' | 'state' | 'created'> {
  return { id, email, state, created };
}

function describeRevoked({ revokedKeyIds }: AccountFate): string {
  if (revokedKeyIds.length === 0) return 'It had no good keys.';
  return `Refused from now on, for good: ${revokedKeyIds.join(', ')}.`;
}
