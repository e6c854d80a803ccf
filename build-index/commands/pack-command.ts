/** `pack` */

import type { Command } from 'commander';
import { type PackReport, packSnapshot } from '../packing/pack-snapshot.js';
import { printReport } from '../reporting/printing.js';
import { formatBytes, formatCount, renderTable } from '../reporting/tables.js';
import { parseCountries } from './parse-countries.js';
import { parseOutFile } from './parse-out-file.js';
import { withWorkers } from './with-workers.js';

interface PackArguments {
  readonly from: string;
  readonly out: string;
  readonly json?: true;
}

export function addPackCommand(program: Command): void {
  program
    .command('pack')
    .description('extract some countries of a snapshot as a snapshot, the same as a build of these countries gives')
    .argument('<countries>', 'codes of countries, e.g. DE,AT,CH', parseCountries)
    .requiredOption('--from <snapshot>', 'the snapshot, or the folder where it is published')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFile)
    .option('--json', 'report as one JSON object')
    .action(async (countries: string[], { from, out, json }: PackArguments) => {
      const options = { source: from, outPath: out, countries };
      const report = await withWorkers((pool, progress) => packSnapshot(options, pool, progress));
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
