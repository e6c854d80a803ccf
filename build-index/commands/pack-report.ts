/** The report of `pack`, for people and as JSON. */
import type { PackReport } from '../packing/pack-snapshot.js';
import { formatBytes, formatCount, renderTable } from '../reporting/tables.js';

export function packAsJson(report: PackReport): string {
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

export function packAsText(report: PackReport): string {
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
