#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SnapshotError } from '../src/format/snapshot-error.js';
import { packageVersion } from '../src/platform/package-root.js';
import { CommandFailure } from './commands/command-failure.js';
import { CorrectionError } from './corrections/correction-error.js';
import { ThreadError } from './pool/thread-error.js';
import { PublishingError } from './publishing/publishing-error.js';
import { ReleaseError } from './reading/release-error.js';
/**
 * The program `build-index`: its commands, and its exit codes. 0 is done; 1 is a release, a snapshot or a folder of
 * snapshots that is not as it must be; 2 is a wrong call; 3 is a release that would lose too many places (`diff`).
 */
import { printMessage } from './reporting/printing.js';
import { describeSystemError, isSystemError } from './reporting/system-error.js';

/** Adds a command, or several, to the program. */
type AddCommands = (program: Command) => void;

const addPublishing = async (): Promise<AddCommands> =>
  (await import('./commands/publishing-commands.js')).addPublishingCommands;

/**
 * What loads each command, in the order of the help. Only the called one is loaded: all of them have two hundred files,
 * which take longer to load than a small snapshot takes to publish.
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

/** The program with the command `called`; where there is no such command, with all, for the help. */
async function createProgram(called: string | undefined): Promise<Command> {
  const program = new Command('build-index')
    .description('Compiles GeoNames postal data into one snapshot file, and looks after such files.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)');
  const loader = LOADERS.get(called ?? '');
  const loaders = loader === undefined ? new Set(LOADERS.values()) : [loader];
  for (const load of loaders) (await load())(program);
  return program;
}

/** Runs a command line. The exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args[0]);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure) {
      printMessage(error.message);
      return error.exitCode;
    }
    printMessage(describe(error));
    return 1;
  }
}

function describe(error: unknown): string {
  if (isSystemError(error)) return describeSystemError(error);
  const isExpected = [ReleaseError, CorrectionError, SnapshotError, PublishingError, ThreadError].some(
    (expected) => error instanceof expected,
  );
  return (isExpected ? (error as Error).message : (error as Error).stack) ?? String(error);
}

process.exitCode = await main(process.argv.slice(2));
