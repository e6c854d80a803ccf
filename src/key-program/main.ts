#!/usr/bin/env node
/**
 * The program `postal-keys`: creates and manages keys in the store of a running server. It prints text or, with
 * `--json`, one JSON object on one line. Exit status: 0 done, 1 failed or left a key out, 2 wrong usage. Each error is
 * one line on stderr, which never contains a clear key, even if an argument does.
 */

import { Command, CommanderError, Option } from 'commander';
import { InvalidValueError, messageOf } from '../expected-error.js';
import { parseKeyName } from '../keys/key-record.js';
import { isMainModule } from '../platform/is-main-module.js';
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
import { parseDuration, parseKeyId, parseStoreOption, parseTime } from './arguments.js';
import { type CreateOptions, createKey, replaceKey, revealKey } from './clear-key-commands.js';
import {
  type CommandContext,
  type CommandOutput,
  createCommandContext,
  errorLine,
  type Surroundings,
} from './command-context.js';
import { exportKeys, importKeys } from './moving-commands.js';
import { listKeys, showKey, showUsage } from './reading-commands.js';
import { expireKey, revokeKey, setKeyPlan } from './record-commands.js';

export type { Surroundings } from './command-context.js';

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

const PROCESS_SURROUNDINGS: Surroundings = {
  env: process.env,
  clock: Date.now,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
};

const TIME_HELP = '2027-01-01, for its start in UTC, or a time with its zone such as 2027-01-01T09:30Z';

/** By their names in a command's usage. */
const ARGUMENTS: Readonly<Record<string, { readonly description: string; parse(text: string): string }>> = {
  '<id>': { description: 'as list shows it, key_…', parse: parseKeyId },
  '<account>': { description: 'as accounts shows it, acct_…', parse: parseAccountId },
  '<account-or-address>': { description: 'as accounts shows it, acct_…, or its address', parse: parseAccountName },
};

/** Runs the program with the arguments that follow its name and returns the exit status. Never exits by itself. */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = PROCESS_SURROUNDINGS,
): Promise<number> {
  try {
    let isWhole = true;
    const onLeftOut = (): void => {
      isWhole = false;
    };
    await createProgram(surroundings, onLeftOut).parseAsync([...args], { from: 'user' });
    return isWhole ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    surroundings.writeError(errorLine(describe(error)));
    return error instanceof CommanderError || error instanceof InvalidValueError ? 2 : 1;
  }
}

function createProgram(surroundings: Surroundings, onLeftOut: () => void): Command {
  const program = new Command('postal-keys')
    .description('Makes the API keys of a postal-places server and looks after them.')
    .exitOverride()
    .showSuggestionAfterError(false)
    // commander's error text is in the error that it throws.
    .configureOutput({ writeOut: surroundings.writeOut, writeErr: () => {} });

  function addCommand<Options>(usage: string, description: string, run: Run<Options>): Command {
    const [name = '', ...argumentNames] = usage.split(' ');
    const command = program.command(name).description(description);
    for (const argument of argumentNames) {
      const known = ARGUMENTS[argument];
      if (known === undefined) command.argument(argument);
      else command.argument(argument, known.description, known.parse);
    }
    return command
      .option('--store <store>', 'a folder or the address of a Redis; else REDIS_URL, else KEYS_DIR', parseStoreOption)
      .option('--json', 'print one line of JSON')
      .action(async (...parsed: unknown[]) => {
        const args = parsed.slice(0, argumentNames.length) as string[];
        const options = parsed[argumentNames.length] as Options & CommonOptions;
        const context = createCommandContext(options.store, onLeftOut, surroundings);
        const { json, text } = await run(context, options, ...args);
        surroundings.writeOut(options.json ? `${JSON.stringify(json)}\n` : text);
      });
  }

  addKeyCommands(addCommand);
  addAccountCommands(addCommand);
  return program;
}

function addKeyCommands(addCommand: AddCommand): void {
  addCommand('create', 'make a key and show it', (context, { account, ...options }: CreatingOptions) =>
    account === undefined ? createKey(context, options) : createAccountKey(context, account, options),
  )
    .option('--name <name>', 'whom or what the key is for, 1 to 100 characters; else unnamed', parseKeyName)
    .option('--plan <plan>', 'one of PLANS; else free')
    .option('--expires <time>', `when it stops being good; else never: ${TIME_HELP}`, parseTime)
    .option('--account <account>', 'the account that gets the key; its name is else key and a number', parseAccountId);
  addCommand('list', 'show all keys, oldest first', (context) => listKeys(context));
  addCommand('show <id>', 'show what is known of a key', (context, _, id) => showKey(context, id));
  addCommand('reveal <id>', 'show the clear key again', (context, _, id) => revealKey(context, id));
  addCommand('replace <id>', 'make a key that takes the place of another', (context, options: ReplaceOptions, id) =>
    replaceKey(context, id, options.grace ?? 0),
  ).option('--grace <duration>', 'how long the old key stays good: 90s, 15m, 24h, 7d; else not at all', parseDuration);
  addCommand('revoke <id>', 'refuse a key for good', (context, _, id) => revokeKey(context, id));
  addCommand('set-plan <id> <plan>', 'put a key on another plan', (context, _, id, plan) =>
    setKeyPlan(context, id, plan),
  );
  addCommand('expire <id>', 'say until when a key is good; else until now', (context, options: ExpireOptions, id) =>
    expireKey(context, id, options.never ? null : options.at),
  )
    .option('--at <time>', TIME_HELP, parseTime)
    .addOption(new Option('--never', 'it is good for ever').conflicts('at'));
  addCommand('usage <id>', 'show how much a key was used, by months and days', (context, _, id) =>
    showUsage(context, id),
  );
  addCommand('export', 'print all keys as one JSON object for import', (context) => exportKeys(context));
  addCommand('import <file>', 'take in the keys of an export that the store lacks', (context, _, file) =>
    importKeys(context, file),
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

function describe(error: unknown): string {
  if (!(error instanceof CommanderError)) return messageOf(error);
  if (error.code === 'commander.help') return 'there is no such command, or none was given; --help shows all';
  return error.message.replace(/^error: /, '');
}

if (isMainModule(import.meta.url)) {
  // A full disk or a closed pipe: the command was executed, but its output is lost.
  process.stdout.on('error', (error) => {
    process.stderr.write(errorLine(`the answer can't be written (${error.message})`));
    process.exit(1);
  });
  process.exitCode = await main(process.argv.slice(2));
}
