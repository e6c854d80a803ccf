/**
 * `keys`: creates and manages keys in the store of a running server. Its commands print text or, with `--json`, one
 * JSON object on one line. Each error is one line on stderr, which never contains a clear key, even if an argument does.
 */

import { type Command, Option } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { parseKeyName } from '../../src/keys/key-record.js';
import { DEFAULT_VISITOR_RATE, formatVisitorRate, parseVisitorRate } from '../../src/keys/restrictions.js';
import type { Surroundings } from '../surroundings.js';
import {
  closeAccount,
  createAccountKey,
  listAccounts,
  parseAccountId,
  parseAccountName,
  resumeAccount,
  showAccount,
  suspendAccount,
} from './account-commands.js';
import {
  type CreateOptions,
  createKey,
  type RestrictionOptions,
  replaceKey,
  revealKey,
  updateKey,
} from './clear-key-commands.js';
import {
  type CommandContext,
  type CommandOutput,
  createCommandContext,
  parseDuration,
  parseKeyId,
  parseOnlyOption,
  parseOriginOption,
  parseStoreOption,
  parseTime,
  refusing,
  wrongUsage,
} from './command-context.js';
import { exportKeys, importKeys } from './moving-commands.js';
import { expireKey, listKeys, revokeKey, setKeyPlan, showKey, showUsage } from './record-commands.js';

/* The examples in the help of `keys` and of each command below it. The ids stand for those that list and accounts show. */

const KEYS_EXAMPLES = [
  'create --name "our website"',
  'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
  'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
  'list --json',
  'replace key_ryzezvg41v28 --grace 24h',
  'export',
];

/** By the names of the commands. */
const COMMAND_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  create: [
    'create --name "our website"',
    'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
    'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
    'create --account acct_r5ja31bemzkn',
  ],
  update: ['update key_ryzezvg41v28 --origin https://shop.example --visitor-rate 60/m'],
  list: ['list', 'list --store redis://localhost:6379/0 --json'],
  show: ['show key_ryzezvg41v28', 'show key_ryzezvg41v28 --json'],
  reveal: ['reveal key_ryzezvg41v28'],
  replace: ['replace key_ryzezvg41v28', 'replace key_ryzezvg41v28 --grace 24h'],
  revoke: ['revoke key_ryzezvg41v28'],
  'set-plan': ['set-plan key_ryzezvg41v28 business'],
  expire: [
    'expire key_ryzezvg41v28',
    'expire key_ryzezvg41v28 --at 2027-01-01T09:30+01:00',
    'expire key_ryzezvg41v28 --never',
  ],
  usage: ['usage key_ryzezvg41v28', 'usage key_ryzezvg41v28 --json'],
  export: ['export > keys.json', 'export --store /srv/keys > keys.json'],
  import: ['import keys.json', 'import - --store /srv/keys < keys.json'],
  accounts: ['accounts', 'accounts --json'],
  account: ['account acct_r5ja31bemzkn', 'account grace@example.com --json'],
  suspend: ['suspend acct_r5ja31bemzkn'],
  resume: ['resume acct_r5ja31bemzkn'],
  close: ['close acct_r5ja31bemzkn'],
};

/** The text behind the options in the help of `keys`, or of a command below it. */
export function keysExamples(command?: string): string {
  const calls = command === undefined ? KEYS_EXAMPLES : (COMMAND_EXAMPLES[command] ?? []);
  return `\nExamples:\n${calls.map((call) => `  postal-places keys ${call}`).join('\n')}`;
}

interface CommonOptions {
  readonly store?: string;
  readonly json?: boolean;
}

interface CreatingOptions extends CreateOptions {
  /** An account's id. */
  readonly account?: string;
}

interface ReplaceOptions {
  /** Milliseconds. */
  readonly grace?: number;
}

interface ExpireOptions {
  readonly at?: string;
  readonly never?: boolean;
}

/** Runs a command with its parsed options and arguments. */
type Run<Options> = (context: CommandContext, options: Options, ...args: string[]) => Promise<CommandOutput>;

/** `usage` is the command's name and its arguments. */
type AddCommand = <Options>(usage: string, description: string, run: Run<Options>) => Command;

const TIME_HELP = '2027-01-01, for its start in UTC, or a time with its zone such as 2027-01-01T09:30Z';

const STORE_HELP = '\nThe store is --store, or else REDIS_URL, or else KEYS_DIR.';

/** By their names in a command's usage. */
const ARGUMENTS: Readonly<Record<string, { readonly description: string; parse(text: string): string }>> = {
  '<id>': { description: 'as keys list shows it, key_…', parse: parseKeyId },
  '<account>': { description: 'as keys accounts shows it, acct_…', parse: parseAccountId },
  '<account-or-address>': { description: 'as keys accounts shows it, acct_…, or its address', parse: parseAccountName },
};

export function addKeysCommand(program: Command, surroundings: Surroundings): void {
  const keys = program.command('keys').addHelpText('after', `${STORE_HELP}\n${keysExamples()}`);

  function addCommand<Options>(usage: string, description: string, run: Run<Options>): Command {
    const [name = '', ...argumentNames] = usage.split(' ');
    const command = keys.command(name).description(description);
    for (const argument of argumentNames) {
      const known = ARGUMENTS[argument];
      if (known === undefined) command.argument(argument);
      else command.argument(argument, known.description, refusing(known.parse));
    }
    return command
      .option(
        '--store <store>',
        'a folder or the address of a Redis; else REDIS_URL, else KEYS_DIR',
        refusing(parseStoreOption),
      )
      .option('--json', 'print one line of JSON')
      .addHelpText('after', keysExamples(name))
      .action(async (...parsed: unknown[]) => {
        const args = parsed.slice(0, argumentNames.length) as string[];
        const options = parsed[argumentNames.length] as Options & CommonOptions;
        let isWhole = true;
        const onLeftOut = (): void => {
          isWhole = false;
        };
        const context = createCommandContext(options.store, onLeftOut, surroundings);
        const { json, text } = await run(context, options, ...args);
        surroundings.writeOut(options.json ? `${JSON.stringify(json)}\n` : text);
        // Each key that was left out has its line on stderr.
        if (!isWhole) throw new CommandFailure('', EXIT.failed);
      });
  }

  addKeyCommands(addCommand);
  addAccountCommands(addCommand);
}

function addKeyCommands(addCommand: AddCommand): void {
  const create = addCommand(
    'create',
    'make a key and show it',
    async (context, { account, ...options }: CreatingOptions) => {
      if (account !== undefined) return await createAccountKey(context, account, options);
      const { name } = options;
      if (name === undefined) throw wrongUsage('keys create needs --name <name>: whom or what the key is for');
      return await createKey(context, { ...options, name });
    },
  )
    .option('--name <name>', 'whom or what the key is for, 1 to 100 characters', refusing(parseKeyName))
    .option('--plan <plan>', 'one of PLANS; else free')
    .option('--expires <time>', `when it stops being good; else never: ${TIME_HELP}`, refusing(parseTime))
    .option(
      '--account <account>',
      'the account that gets the key, which needs no --name then',
      refusing(parseAccountId),
    );
  addRestrictionOptions(create, `; else ${formatVisitorRate(DEFAULT_VISITOR_RATE)}`);
  addCommand('list', 'show all keys, oldest first', (context) => listKeys(context));
  addCommand('show <id>', 'show what is known of a key', (context, _, id) => showKey(context, id));
  addCommand('reveal <id>', 'show the clear key again', (context, _, id) => revealKey(context, id));
  addCommand('replace <id>', 'make a key that takes the place of another', (context, options: ReplaceOptions, id) =>
    replaceKey(context, id, options.grace ?? 0),
  ).option(
    '--grace <duration>',
    'how long the old key stays good: 90s, 15m, 24h, 7d; else not at all',
    refusing(parseDuration),
  );
  addCommand('revoke <id>', 'refuse a key for good', (context, _, id) => revokeKey(context, id));
  addCommand('set-plan <id> <plan>', 'put a key on another plan', (context, _, id, plan) =>
    setKeyPlan(context, id, plan),
  );
  const update = addCommand(
    'update <id>',
    'change what a publishable key is bound to',
    (context, options: RestrictionOptions, id) => updateKey(context, id, options),
  );
  addRestrictionOptions(update);
  addCommand('expire <id>', 'say until when a key is good; else until now', (context, options: ExpireOptions, id) =>
    expireKey(context, id, options.never ? null : options.at),
  )
    .option('--at <time>', TIME_HELP, refusing(parseTime))
    .addOption(new Option('--never', 'it is good for ever').conflicts('at'));
  addCommand('usage <id>', 'show how much a key was used, by months and days', (context, _, id) =>
    showUsage(context, id),
  );
  addCommand('export', 'print all keys as one JSON object for import', (context) => exportKeys(context));
  addCommand('import <file>', 'take in the keys of an export that the store lacks', (context, _, file) =>
    importKeys(context, file),
  );
}

/** Those of a publishable key. `fallback` tells what holds without a visitor rate. */
function addRestrictionOptions(command: Command, fallback = ''): void {
  command
    .option(
      '--origin <origin>',
      'makes a publishable key, for web pages of this origin: https://shop.example, https://*.shop.example; once for each, up to 10',
      refusing(parseOriginOption),
    )
    .option(
      '--only <operations>',
      'what a publishable key may call: autocomplete,postcodes,check,nearby',
      refusing(parseOnlyOption),
    )
    .option(
      '--visitor-rate <rate>',
      `how often each visitor of the web pages may ask: 10/s, 60/m, 100/h, 300/d${fallback}`,
      refusing(parseVisitorRate),
    );
}

function addAccountCommands(addCommand: AddCommand): void {
  addCommand('accounts', 'show all accounts of developers, oldest first', (context) => listAccounts(context));
  addCommand('account <account-or-address>', 'show an account, its keys and what happened', (context, _, name) =>
    showAccount(context, name),
  );
  addCommand('suspend <account>', 'refuse the keys of an account for good, and let it make none', (context, _, id) =>
    suspendAccount(context, id),
  );
  addCommand('resume <account>', 'let a suspended account make keys again', (context, _, id) =>
    resumeAccount(context, id),
  );
  addCommand('close <account>', 'delete an account with its address, and refuse its keys for good', (context, _, id) =>
    closeAccount(context, id),
  );
}
