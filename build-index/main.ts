#!/usr/bin/env node
/**
 * The program `build-index` with its commands. Exit codes: 0 success; 1 an invalid release, snapshot or folder of
 * snapshots; 2 wrong usage; 3 a release that would lose too many places (`diff`).
 */
import { Command, CommanderError } from 'commander';
import { ExpectedError } from '../src/expected-error.js';
import { SnapshotError } from '../src/format/snapshot-error.js';
import { packageVersion } from '../src/platform/package-root.js';
import { CommandFailure } from './commands/command-failure.js';
import { printMessage } from './reporting/printing.js';
import { describeSystemError, isSystemError } from './reporting/system-error.js';

/** Adds one or more commands to the program. */
type AddCommands = (program: Command) => void;

const addPublishing = async (): Promise<AddCommands> =>
  (await import('./commands/publishing-commands.js')).addPublishingCommands;

/**
 * The loader of each command, in the order of the help. Only the called command is loaded: all two hundred files
 * together take longer to load than a small snapshot takes to publish.
 */
const LOADERS: ReadonlyMap<string, () => Promise<AddCommands>> = new Map([
  ['build', async () => (await import('./commands/build-command.js')).addBuildCommand],
  ['verify', async () => (await import('./commands/verify-command.js')).addVerifyCommand],
  ['inspect', async () => (await import('./commands/inspect-command.js')).addInspectCommand],
  ['diff', async () => (await import('./commands/diff-command.js')).addDiffCommand],
  ['publish', addPublishing],
  ['list', addPublishing],
  ['rollback', addPublishing],
  ['prune', addPublishing],
  ['download', async () => (await import('./commands/download-command.js')).addDownloadCommand],
]);

/** The program with the command `called` or, if there is no such command, with all commands for the help. */
async function createProgram(called: string | undefined): Promise<Command> {
  const program = new Command('build-index')
    .description('Compiles GeoNames postal data into one snapshot file, and manages such files.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(--help lists commands and options)');
  const loader = LOADERS.get(called ?? '');
  const loaders = loader === undefined ? new Set(LOADERS.values()) : [loader];
  for (const load of loaders) (await load())(program);
  return program;
}

/** Runs a command line and returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args[0]);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printMessage(describe(error));
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

function describe(error: unknown): string {
  if (isSystemError(error)) return describeSystemError(error);
  if (error instanceof ExpectedError || error instanceof SnapshotError) return error.message;
  return (error as Error).stack ?? String(error);
}

process.exitCode = await main(process.argv.slice(2));
