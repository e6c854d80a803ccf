/** `build-index publish`, `list`, `rollback` and `prune`: the folder of published snapshots. */

import { type Command, InvalidArgumentError } from 'commander';
import { listSnapshots } from '../../src/snapshots/list-snapshots.js';
import { pruneSnapshots } from '../publishing/prune-snapshots.js';
import { publishSnapshot } from '../publishing/publish-snapshot.js';
import { rollBack } from '../publishing/roll-back.js';
import { checksumCheck, deepCheck } from '../publishing/snapshot-check.js';
import { printReport } from '../reporting/printing.js';
import { listAsText, pruneAsText, publishAsText, rollbackAsText } from './publishing-reports.js';
import { withProgress } from './with-progress.js';
import { withWorkers } from './with-workers.js';

export function addPublishingCommands(program: Command): void {
  addFolderCommand(program, 'publish', 'put a copy of a snapshot in service, checked by its checksums')
    .argument('<file>')
    .option('--deep', 'check every cross-reference of the copy as well, as verify does')
    .action(async (file: string, options) => {
      const report = options.deep
        ? await withWorkers((pool, progress) => publishSnapshot(file, options.to, deepCheck(pool, progress), progress))
        : await withProgress((progress) => publishSnapshot(file, options.to, checksumCheck(progress), progress));
      print(report, publishAsText, options);
    });
  addFolderCommand(program, 'list', 'show the published snapshots').action((options) => {
    print(listSnapshots(options.to), listAsText, options);
  });
  addFolderCommand(program, 'rollback', 'put the snapshot in service that was there before').action(async (options) => {
    const report = await withProgress((progress) => rollBack(options.to, checksumCheck(progress)));
    print(report, rollbackAsText, options);
  });
  addFolderCommand(program, 'prune', 'remove old snapshots; never the current one, nor one that a process has open')
    .requiredOption('--keep <count>', 'how many to keep, the current one among them', parseKeep)
    .action(async (options) => {
      print(await pruneSnapshots(options.to, options.keep), pruneAsText, options);
    });
}

function addFolderCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption('--to <folder>', 'the folder of published snapshots', parseFolder)
    .option('--json', 'report as JSON');
}

function print<T>(report: T, asText: (report: T) => string, { json }: { json?: boolean }): void {
  printReport(`${json ? JSON.stringify(report) : asText(report)}\n`);
}

function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a folder.');
  return text;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
