/** `publish`, `list`, `rollback` and `prune`: the folder of published snapshots. */

import { type Command, InvalidArgumentError } from 'commander';
import { printReport } from '../reporting/printing.js';
import { listAsText, pruneAsText, publishAsText, rollbackAsText } from './publishing-reports.js';

export function addPublishingCommands(program: Command): void {
  addFolderCommand(program, 'publish', 'put a copy of a snapshot in service, checked by its checksums')
    .argument('<file>')
    .option('--deep', 'check every cross-reference of the copy as well, as verify does')
    .addHelpText(
      'after',
      `
Examples:
  postal-places publish next.snapshot --to /srv/places
  postal-places publish next.snapshot --to /srv/places --deep --json`,
    )
    .action(async (file: string, options) => {
      const { publishSnapshot } = await import('../publishing/publish-snapshot.js');
      const { checksumCheck, deepCheck } = await import('../publishing/snapshot-check.js');
      const report = options.deep
        ? await (await import('./with-workers.js')).withWorkers((pool, progress) =>
            publishSnapshot(file, options.to, deepCheck(pool, progress), progress),
          )
        : await (await import('./with-progress.js')).withProgress((progress) =>
            publishSnapshot(file, options.to, checksumCheck(progress), progress),
          );
      print(report, publishAsText, options);
    });
  addFolderCommand(program, 'list', 'show the published snapshots')
    .addHelpText('after', exampleOf('list --to /srv/places'))
    .action(async (options) => {
      const { listSnapshots } = await import('../../src/snapshots/list-snapshots.js');
      print(listSnapshots(options.to), listAsText, options);
    });
  addFolderCommand(program, 'rollback', 'put the snapshot in service that was there before')
    .addHelpText('after', exampleOf('rollback --to /srv/places'))
    .action(async (options) => {
      const { rollBack } = await import('../publishing/roll-back.js');
      const { checksumCheck } = await import('../publishing/snapshot-check.js');
      const { withProgress } = await import('./with-progress.js');
      const report = await withProgress((progress) => rollBack(options.to, checksumCheck(progress)));
      print(report, rollbackAsText, options);
    });
  addFolderCommand(program, 'prune', 'remove old snapshots; never the current one, nor one that a process has open')
    .requiredOption('--keep <count>', 'how many to keep, the current one among them', parseKeep)
    .addHelpText('after', exampleOf('prune --to /srv/places --keep 2'))
    .action(async (options) => {
      const { pruneSnapshots } = await import('../../src/publishing/prune-snapshots.js');
      print(await pruneSnapshots(options.to, options.keep), pruneAsText, options);
    });
}

const exampleOf = (call: string): string => `\nExamples:\n  postal-places ${call}`;

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
