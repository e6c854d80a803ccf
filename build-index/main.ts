#!/usr/bin/env node
/**
 * The program `build-index`: its commands, and its exit codes. 0 is done; 1 is a release, a snapshot or a folder of
 * snapshots that is not as it must be; 2 is a wrong call; 3 is a release that would lose too many places (`diff`).
 */
import { Command, CommanderError } from 'commander';
import { SnapshotError } from '../src/format/snapshot-error.js';
import { packageVersion } from '../src/package-root.js';
import { addBuildCommand } from './commands/build-command.js';
import { CommandFailure } from './commands/command-failure.js';
import { addDiffCommand } from './commands/diff-command.js';
import { addDownloadCommand } from './commands/download-command.js';
import { addInspectCommand } from './commands/inspect-command.js';
import { addPublishingCommands } from './commands/publishing-commands.js';
import { addVerifyCommand } from './commands/verify-command.js';
import { CorrectionError } from './corrections/correction-error.js';
import { PublishingError } from './publishing/publishing-error.js';
import { ReleaseError } from './reading/release-error.js';
import { describeSystemError, isSystemError } from './reporting/system-error.js';

function createProgram(): Command {
  const program = new Command('build-index')
    .description('Compiles GeoNames postal data into one snapshot file, and looks after such files.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)');
  addBuildCommand(program);
  addVerifyCommand(program);
  addInspectCommand(program);
  addDiffCommand(program);
  addPublishingCommands(program);
  addDownloadCommand(program);
  return program;
}

/** Runs a command line. The exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure) {
      process.stderr.write(`build-index: ${error.message}\n`);
      return error.exitCode;
    }
    process.stderr.write(`build-index: ${describe(error)}\n`);
    return 1;
  }
}

function describe(error: unknown): string {
  if (isSystemError(error)) return describeSystemError(error);
  const isExpected = [ReleaseError, CorrectionError, SnapshotError, PublishingError].some(
    (expected) => error instanceof expected,
  );
  return (isExpected ? (error as Error).message : (error as Error).stack) ?? String(error);
}

process.exitCode = await main(process.argv.slice(2));
