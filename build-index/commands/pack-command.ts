/** `pack`: extracts some countries of a snapshot. */

import type { Command } from 'commander';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import type { PackReport } from '../building/pack-snapshot.js';
import { formatBytes, formatCount } from '../reporting/figures.js';
import { printReport } from '../reporting/printing.js';
import { renderTable } from '../reporting/text-tables.js';
import { parseCountries, parseOutFile } from './option-values.js';

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
