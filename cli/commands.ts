/**
 * The subcommands, in the order of the help. A module is loaded only when its subcommand is called: all two hundred
 * files of the builder together take longer to load than a small snapshot takes to publish.
 */

import { Command } from 'commander';
import { EXIT_MEANINGS } from '../src/base/exit-code.js';
import { packageVersion } from '../src/base/package-root.js';
import type { Surroundings } from './program/program-io.js';

/** Adds one or several subcommands to the program. */
type AddCommands = (program: Command, surroundings: Surroundings) => void;

interface Subcommand {
  /** One line, which is also the description in the subcommand's own help. */
  readonly summary: string;
  load(): Promise<AddCommands>;
}

type Group = 'Ask' | 'Build' | 'Publish' | 'Run';

const subcommand = (summary: string, load: () => Promise<AddCommands>): Subcommand => ({ summary, load });

/** By group and name. */
const SUBCOMMANDS: Readonly<Record<Group, Readonly<Record<string, Subcommand>>>> = {
  Ask: {
    lookup: subcommand(
      'find the places of a postal code, in one country or in all',
      async () => (await import('./ask/ask-commands.js')).addLookupCommand,
    ),
    suggest: subcommand(
      'suggest places for the start of a name, or for an address line',
      async () => (await import('./ask/ask-commands.js')).addSuggestCommand,
    ),
    match: subcommand(
      'find the place that an address leads to',
      async () => (await import('./ask/ask-commands.js')).addMatchCommand,
    ),
    reverse: subcommand(
      'find the place nearest to a position, within 80 km',
      async () => (await import('./ask/ask-commands.js')).addReverseCommand,
    ),
    nearby: subcommand(
      'list the places or postal codes around a position or a postal code, nearest first',
      async () => (await import('./ask/ask-commands.js')).addNearbyCommand,
    ),
    enrich: subcommand('add places to the rows of a table: CSV, TSV or NDJSON', async () => {
      const { addEnrichCommand } = await import('./enrich/enrich-command.js');
      return (program) => addEnrichCommand(program);
    }),
    export: subcommand(
      'write places, postal codes or cities as CSV, NDJSON, GeoJSON, Parquet or a database of SQLite',
      async () => {
        const { addExportCommand } = await import('./export/export-command.js');
        return (program) => addExportCommand(program);
      },
    ),
    mcp: subcommand(
      'answer models: six tools over the Model Context Protocol, on standard input and output',
      async () => (await import('./mcp/mcp-command.js')).addMcpCommand,
    ),
  },
  Build: {
    download: subcommand(
      'fetch the files of a release; skips unchanged files and resumes interrupted downloads',
      async () => (await import('../build-index/commands/download-command.js')).addDownloadCommand,
    ),
    build: subcommand(
      'compile a release into a snapshot',
      async () => (await import('../build-index/commands/build-command.js')).addBuildCommand,
    ),
    verify: subcommand(
      'check every checksum, and what look-ups rely on, of a snapshot',
      async () => (await import('../build-index/commands/verify-command.js')).addVerifyCommand,
    ),
    inspect: subcommand(
      'show the contents of a snapshot',
      async () => (await import('../build-index/commands/inspect-command.js')).addInspectCommand,
    ),
    diff: subcommand(
      'show what changes from one snapshot to another',
      async () => (await import('../build-index/commands/diff-command.js')).addDiffCommand,
    ),
    pack: subcommand(
      'extract some countries of a snapshot as a snapshot, the same as a build of these countries gives',
      async () => (await import('../build-index/commands/pack-command.js')).addPackCommand,
    ),
  },
  Publish: {
    publish: subcommand(
      'put a copy of a snapshot in service, checked by its checksums',
      async () => (await import('../build-index/commands/publish-command.js')).addPublishCommand,
    ),
    list: subcommand(
      'show the published snapshots, or the releases of channels',
      async () => (await import('../build-index/commands/list-command.js')).addListCommand,
    ),
    rollback: subcommand(
      'put the snapshot in service that was there before',
      async () => (await import('../build-index/commands/rollback-command.js')).addRollbackCommand,
    ),
    promote: subcommand(
      'make a channel name the release of another channel; transfers nothing',
      async () => (await import('../build-index/commands/promote-command.js')).addPromoteCommand,
    ),
    pull: subcommand(
      'bring a folder of snapshots to the release that a channel names',
      async () => (await import('./pulling/pull-command.js')).addPullCommand,
    ),
    'signing-key': subcommand(
      'make the keys that sign channels',
      async () => (await import('../build-index/commands/signing-key-command.js')).addSigningKeyCommand,
    ),
    prune: subcommand(
      'remove old snapshots; never the current one, nor one that a process has open',
      async () => (await import('../build-index/commands/prune-command.js')).addPruneCommand,
    ),
  },
  Run: {
    start: subcommand(
      'serve the API and the website with a demo key, to try them',
      async () => (await import('./serving/serving-commands.js')).addStartCommand,
    ),
    serve: subcommand('serve the API', async () => (await import('./serving/serving-commands.js')).addServeCommand),
    site: subcommand('serve the website', async () => (await import('./serving/serving-commands.js')).addSiteCommand),
    keys: subcommand(
      'make API keys and look after them',
      async () => (await import('./keys/keys-command.js')).addKeysCommand,
    ),
  },
};

/** `[name, subcommand, group]` */
const ENTRIES = Object.entries(SUBCOMMANDS).flatMap(([group, subcommands]) =>
  Object.entries(subcommands).map(([name, entry]) => [name, entry, group] as const),
);

export function isSubcommand(name: string): boolean {
  return ENTRIES.some(([other]) => other === name);
}

/**
 * The program with the subcommand `called` in full. Of the others it has the names and summaries, which the help and
 * suggestions need.
 */
export function createProgram(called: string | undefined, surroundings: Surroundings): Promise<Command> {
  return createProgramWith((name) => name === called, surroundings);
}

/** The program with all subcommands in full. */
export function createWholeProgram(surroundings: Surroundings): Promise<Command> {
  return createProgramWith(() => true, surroundings);
}

async function createProgramWith(isWanted: (name: string) => boolean, surroundings: Surroundings): Promise<Command> {
  const program = createBareProgram(surroundings);
  const find = (name: string): Command | undefined => program.commands.find((command) => command.name() === name);
  for (const [name, { load }] of ENTRIES) {
    // A module may have added several.
    if (isWanted(name) && find(name) === undefined) (await load())(program, surroundings);
  }
  for (const [name, { summary }, group] of ENTRIES) {
    (find(name) ?? program.command(name)).description(summary).helpGroup(`${group}:`);
  }
  return program;
}

function createBareProgram({ writeOut, writeError }: Surroundings): Command {
  return new Command('postal-places')
    .description('Postal codes and administrative places of the world: build, publish and serve them.')
    .usage('<command> [options]')
    .version(packageVersion())
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut,
      writeErr: writeError,
      // The message is in the error that commander throws; run.ts prints it.
      outputError: () => {},
    })
    .addHelpText('after', `\nExit codes: ${EXIT_MEANINGS.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}.`)
    .addHelpText('after', '\npostal-places <command> --help shows the options and examples of a command.');
}
