#!/usr/bin/env node
/**
 * The program `postal-keys`: makes keys and lists them, in the folder that the server reads, while it runs. People get
 * a text, `--json` gives machines one JSON object on one line. A clear key is printed once, by the command that made
 * it, and can't be had again. Exit status: 0 done, 1 failed, 2 called wrongly; a failure is one line on stderr.
 */

import { Command, CommanderError, Option } from 'commander';
import { DEFAULT_KEYS_DIR } from '../config.js';
import { isMainModule } from '../is-main-module.js';
import { createApiKey, digestApiKey } from './api-key.js';
import { openEmbeddedKeyStore } from './embedded-key-store.js';
import { createKeyRecord, type KeyRecord, KeyRecordError } from './key-record.js';
import { type KeyStore, KeyStoreError } from './key-store.js';

/** What a run of the program touches besides the key store. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

interface CommonOptions {
  readonly keysDir: string;
  readonly json: boolean;
}

const PROCESS_SURROUNDINGS: Surroundings = {
  env: process.env,
  clock: Date.now,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
};

/** Runs the program with the arguments that follow its name and returns the exit status. Never exits by itself. */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = PROCESS_SURROUNDINGS,
): Promise<number> {
  try {
    await createProgram(surroundings).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already written its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof KeyStoreError || error instanceof KeyRecordError)) throw error;
    surroundings.writeError(`postal-keys: ${error.message}\n`);
    return error instanceof KeyRecordError ? 2 : 1;
  }
}

function createProgram(surroundings: Surroundings): Command {
  const program = new Command('postal-keys')
    .description('Makes and lists the API keys of a postal-places server.')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: surroundings.writeOut, writeErr: surroundings.writeError });
  addCommand(program, 'create', 'make a key and show it, this once', surroundings)
    .requiredOption('--name <name>', 'whom or what the key is for, 1 to 100 characters')
    .action((options: CommonOptions & { name: string }) => create(options, surroundings));
  addCommand(program, 'list', 'show what is known of every key, oldest first', surroundings).action(
    (options: CommonOptions) => list(options, surroundings),
  );
  return program;
}

function addCommand(program: Command, name: string, description: string, surroundings: Surroundings): Command {
  const keysDir = surroundings.env.KEYS_DIR || DEFAULT_KEYS_DIR;
  return program
    .command(name)
    .description(description)
    .addOption(new Option('--keys-dir <dir>', 'folder of the key store, else KEYS_DIR').default(keysDir))
    .option('--json', 'print one line of JSON', false);
}

async function create(options: CommonOptions & { name: string }, surroundings: Surroundings): Promise<void> {
  const record = createKeyRecord(options.name, new Date(surroundings.clock()));
  const key = createApiKey();
  await withStore(options.keysDir, (store) => store.create(digestApiKey(key), record));
  const { id, ...others } = record;
  surroundings.writeOut(
    options.json
      ? `${JSON.stringify({ id, key, ...others })}\n`
      : `Made the key ${id} for ${record.name}, on the plan ${record.plan}:\n\n  ${key}\n\n` +
          'Keep it now: it is shown only this once, and the store has no more than its digest.\n',
  );
}

async function list(options: CommonOptions, surroundings: Surroundings): Promise<void> {
  const records = await withStore(options.keysDir, async (store) => store.list());
  if (options.json) surroundings.writeOut(`${JSON.stringify({ keys: records })}\n`);
  else if (records.length === 0) surroundings.writeOut(`No keys in ${options.keysDir}.\n`);
  else surroundings.writeOut(renderTable(records));
}

async function withStore<T>(folder: string, use: (store: KeyStore) => Promise<T>): Promise<T> {
  const store = openEmbeddedKeyStore(folder);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function renderTable(records: readonly KeyRecord[]): string {
  const rows = [
    ['ID', 'STATE', 'PLAN', 'CREATED', 'EXPIRES', 'NAME'],
    ...records.map(({ id, state, plan, created, expires, name }) => [
      id,
      state,
      plan,
      created,
      expires ?? 'never',
      name,
    ]),
  ];
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 0)), []);
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

if (isMainModule(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
