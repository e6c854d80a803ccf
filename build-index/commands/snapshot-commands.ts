/** The commands that read snapshots: `verify`, `inspect`, `diff` and `pack`. */

import { statSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import type { PackReport } from '../building/pack-snapshot.js';
import { formatBytes, formatCount, formatNumberOf, printReport, renderTable } from '../reporting/printing.js';
import { parseOutFile } from '../writing/output-file.js';
import { parseCountries } from './release-commands.js';

/* `verify` */

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .argument('<file>')
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places verify next.snapshot
  postal-places verify next.snapshot --json`,
    )
    .action(async (path: string, { json }: { json?: true }) => {
      const { verifySnapshot } = await import('../verifying/verify-snapshot.js');
      const { withWorkers } = await import('./long-running.js');
      const { manifest } = await withWorkers((pool, progress) => verifySnapshot(path, pool, progress)).catch(
        (error) => {
          throw nameFile(path, error);
        },
      );
      const countries = manifest.countries.filter(({ slices }) => slices.length > 0);
      const places = countries.flatMap(({ levelCounts }) => levelCounts).reduce((sum, count) => sum + count, 0);
      const report = {
        file: path,
        release: manifest.release,
        countries: countries.length,
        places,
        bytes: statSync(path).size,
      };
      printReport(`${json ? JSON.stringify(report) : verifyAsText(report)}\n`);
    });
}

interface VerifyReport {
  readonly file: string;
  readonly release: string;
  readonly countries: number;
  readonly places: number;
  readonly bytes: number;
}

function verifyAsText({ file, release, countries, places, bytes }: VerifyReport): string {
  return (
    `${file}: sound; release ${release}, ${formatNumberOf(countries, 'country', 'countries')}, ` +
    `${formatNumberOf(places, 'place')}, ${formatBytes(bytes)}`
  );
}

/* `inspect` */

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .argument('<file>')
    .addOption(
      new Option('--place <place>', 'a place by its id, or by country and path: AD/canillo')
        .argParser(parsePlace)
        .conflicts('postcode'),
    )
    .option('--postcode <code>', 'the places of a postal code: DE/80331', parseInCountry)
    .option('--json', 'report as one JSON object; a place and a postal code always are')
    .addHelpText(
      'after',
      `
Examples:
  postal-places inspect world.snapshot
  postal-places inspect world.snapshot --postcode AD/AD500
  postal-places inspect world.snapshot --place AD/canillo
  postal-places inspect world.snapshot --json`,
    )
    .action(async (path: string, options) => {
      const { inspectSnapshot } = await import('./inspect-report.js');
      printReport(inspectSnapshot(path, options));
    });
}

function parsePlace(text: string): string {
  return parsePlaceId(text) === undefined ? parseInCountry(text) : text;
}

function parseInCountry(text: string): string {
  if (/^[A-Za-z]{2}\/./.test(text)) return text;
  throw new InvalidArgumentError('It must begin with the code of a country, like DE/…');
}

/* `diff`: shows what a new release changes. Exit code 3 if a country would lose too many places. */

/** Default maximum loss of a country's places, in percent: releases of GeoNames rarely lose more. */
const DEFAULT_MAX_LOSS_PERCENT = 5;

export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .argument('<old>', 'the snapshot in service')
    .argument('<new>', 'the snapshot to replace it')
    .option(
      '--max-loss <percent>',
      'exit with code 3 if a country would lose more than this share of its places',
      parsePercent,
      DEFAULT_MAX_LOSS_PERCENT,
    )
    .option('--changes <file>', 'also write every added, removed, moved and renamed place, as NDJSON', parseOutFile)
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places diff /srv/places/current next.snapshot
  postal-places diff /srv/places/current next.snapshot --max-loss 2 --json
  postal-places diff old.snapshot new.snapshot --changes new.changes.ndjson`,
    )
    .action(async (oldPath: string, newPath: string, options: { maxLoss: number; changes?: string; json?: true }) => {
      const { diffSnapshots } = await import('../diffing/diff-snapshots.js');
      const { describeLosses, diffAsJson, diffAsText } = await import('./diff-report.js');
      const { withProgress } = await import('./long-running.js');
      const diff = await withProgress(async (progress) =>
        options.changes === undefined
          ? diffSnapshots(oldPath, newPath, progress)
          : (
              await (
                await import('../diffing/write-changes.js')
              ).writeChanges(oldPath, newPath, options.changes, progress)
            ).diff,
      );
      printReport(options.json ? `${diffAsJson(diff, options.maxLoss)}\n` : diffAsText(diff));
      const overMaxLoss = diff.countries.flatMap((country) => describeLosses(country, options.maxLoss));
      if (overMaxLoss.length === 0) return;
      throw new CommandFailure(`over --max-loss ${options.maxLoss} %: ${overMaxLoss.join(', ')}`, EXIT.tooManyLost);
    });
}

function parsePercent(text: string): number {
  const percent = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return percent;
}

/* `pack` */

interface PackArguments {
  readonly from: string;
  readonly out: string;
  readonly json?: true;
}

export function addPackCommand(program: Command): void {
  program
    .command('pack')
    .argument('<countries>', 'codes of countries, e.g. DE,AT,CH', parseCountries)
    .requiredOption('--from <snapshot>', 'the snapshot, or the folder where it is published')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFile)
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places pack DE,AT,CH --from world.snapshot --out dach.snapshot
  postal-places pack US --from /srv/places --out us.snapshot --json`,
    )
    .action(async (countries: string[], { from, out, json }: PackArguments) => {
      const options = { source: from, outPath: out, countries };
      const { packSnapshot } = await import('../building/pack-snapshot.js');
      const { withWorkers } = await import('./long-running.js');
      const report = await withWorkers((pool, progress) => packSnapshot(options, pool, progress)).catch((error) => {
        throw nameFile(from, error);
      });
      printReport(json ? `${packAsJson(report)}\n` : packAsText(report));
    });
}

/* The report of `pack`, for people and as JSON. */

function packAsJson(report: PackReport): string {
  const { manifest } = report;
  return JSON.stringify({
    file: report.outPath,
    from: report.sourcePath,
    release: manifest.release,
    sourceDate: manifest.sourceDate,
    siteUrl: manifest.siteUrl,
    countries: listCountries(manifest),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    seconds: report.seconds,
    peakMemoryBytes: report.peakMemoryBytes,
  });
}

function packAsText(report: PackReport): string {
  const { manifest, outPath, fileBytes, seconds, peakMemoryBytes } = report;
  const countries = listCountries(manifest).map(({ code, places, distinctPostcodes }) => [
    code,
    formatCount(places),
    formatCount(distinctPostcodes),
  ]);
  return [
    `${outPath}: release ${manifest.release}, ${formatBytes(fileBytes)}\n`,
    `${renderTable(['country', 'places', 'codes'], countries)}\n`,
    `${seconds.toFixed(1)} s, peak memory ${formatBytes(peakMemoryBytes)}\n`,
  ].join('\n');
}

function listCountries({ countries }: PackReport['manifest']) {
  return countries
    .filter(({ slices }) => slices.length > 0)
    .map(({ code, levelCounts, distinctPostcodes }) => ({
      code,
      places: levelCounts.reduce((sum, count) => sum + count, 0),
      distinctPostcodes,
    }));
}
