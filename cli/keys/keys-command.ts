/**
 * `keys`: creates and manages keys in the store of a running server. Its commands print text or, with `--json`, one
 * JSON object on one line. Each error is one line on stderr, which never contains a clear key, even if an argument does.
 */

import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import type { Surroundings } from '../program/program-io.js';
import { accountCommands } from './account-commands.js';
import { createCommandContext, type KeysCommand } from './command-context.js';
import { exportCommands } from './export-commands.js';
import {
  optionWithArgument,
  parseAccountIdArgument,
  parseAccountNameArgument,
  parseKeyId,
  parseStoreOption,
  toKeyArgumentParser,
} from './key-arguments.js';
import { keyCommands } from './key-commands.js';

const EXAMPLES = [
  'create --name "our website"',
  'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
  'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
  'list --json',
  'replace key_ryzezvg41v28 --grace 24h',
  'export',
];

const STORE_HELP = '\nThe store is --store, or else REDIS_URL, or else KEYS_DIR.';

/** By their names in a command's usage. */
const ARGUMENTS: Readonly<Record<string, { readonly description: string; parse(text: string): string }>> = {
  '<id>': { description: 'as keys list shows it, key_…', parse: parseKeyId },
  '<account>': { description: 'as keys accounts shows it, acct_…', parse: parseAccountIdArgument },
  '<account-or-address>': {
    description: 'as keys accounts shows it, acct_…, or its address',
    parse: parseAccountNameArgument,
  },
};

interface CommonOptions {
  readonly store?: string;
  readonly json?: boolean;
}

export function addKeysCommand(program: Command, surroundings: Surroundings): void {
  const keys = program.command('keys').addHelpText('after', `${STORE_HELP}\n${examplesText(EXAMPLES)}`);
  for (const command of [...keyCommands, ...exportCommands, ...accountCommands])
    addCommand(keys, command, surroundings);
}

function addCommand(
  keys: Command,
  { usage, description, examples, options = [], run }: KeysCommand,
  surroundings: Surroundings,
): void {
  const [name = '', ...argumentNames] = usage.split(' ');
  const command = keys.command(name).description(description);
  for (const argument of argumentNames) {
    const known = ARGUMENTS[argument];
    if (known === undefined) command.argument(argument);
    else command.argument(argument, known.description, toKeyArgumentParser(known.parse));
  }
  command
    .addOption(
      optionWithArgument(
        '--store <store>',
        'a folder or the address of a Redis; else REDIS_URL, else KEYS_DIR',
        parseStoreOption,
      ),
    )
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examplesText(examples))
    .action(async (...parsed: unknown[]) => {
      const args = parsed.slice(0, argumentNames.length) as string[];
      const given = parsed[argumentNames.length] as CommonOptions;
      let isWhole = true;
      const onLeftOut = (): void => {
        isWhole = false;
      };
      const context = createCommandContext(given.store, onLeftOut, surroundings);
      const { json, text } = await run(context, given, ...args);
      surroundings.writeOut(given.json ? `${JSON.stringify(json)}\n` : text);
      // Each key that was left out has its line on stderr.
      if (!isWhole) throw new CommandFailure('', EXIT.failed);
    });
  for (const each of options) command.addOption(each);
}

/** The text behind the options in the help. */
function examplesText(calls: readonly string[]): string {
  return `\nExamples:\n${calls.map((call) => `  postal-places keys ${call}`).join('\n')}`;
}
