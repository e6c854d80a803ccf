/** The report of a build: tables for people, or the same figures as one JSON object for programs. */
import type { Manifest } from '../../src/format/manifest.js';
import type { BuildReport } from '../building/build-snapshot.js';
import { listProblems, PROBLEM_KINDS, type Problem, type ProblemKind, type Tally } from '../reading/build-problem.js';
import { formatBytes, formatCount, printable, renderExamples, renderTable } from '../reporting/tables.js';
import { cleaningAsBlocks, cleaningAsObject } from './cleaning-report.js';
import { correctionsAsObject, correctionsAsText } from './corrections-report.js';
import { gazetteerAsObject, gazetteerAsText } from './gazetteer-report.js';
import { subdivisionsAsText } from './subdivisions-report.js';

export function buildAsJson(report: BuildReport): string {
  const { manifest, tally } = report;
  return JSON.stringify({
    file: report.outPath,
    release: manifest.release,
    sourceDate: manifest.sourceDate,
    siteUrl: manifest.siteUrl,
    rows: {
      read: tally.rowsRead,
      taken: tally.rowsTaken,
      merged: tally.rowsMerged,
      repaired: tally.rowsRepaired,
      rejected: tally.rowsRejected,
    },
    problems: sortedProblems(tally).map(([kind, problem]) => ({ kind, ...problem })),
    countries: countriesWithPlaces(manifest).map(({ code, levelCounts, distinctPostcodes }) => ({
      code,
      places: sum(levelCounts),
      levels: levelCounts,
      distinctPostcodes,
    })),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    ignoredFiles: report.ignoredFiles,
    postalCodeFormats: report.postalCodeFormats,
    cleaning: cleaningAsObject(report.cleaning),
    subdivisions: report.subdivisions,
    gazetteer: gazetteerAsObject(report.gazetteer),
    corrections: correctionsAsObject(report.corrections),
    previous: report.previous,
    secondsByPhase: report.secondsByPhase,
    seconds: report.seconds,
    neededMemoryBytes: report.neededMemoryBytes,
    peakMemoryBytes: report.peakMemoryBytes,
  });
}

export function buildAsText(report: BuildReport): string {
  const { manifest, tally } = report;
  const blocks = [
    `${report.outPath}: release ${manifest.release}, ${formatBytes(report.fileBytes)}`,
    renderTable(
      ['rows', 'count'],
      [
        ['read', formatCount(tally.rowsRead)],
        ['taken', formatCount(tally.rowsTaken)],
        ['  of these repaired', formatCount(tally.rowsRepaired)],
        ['merged', formatCount(tally.rowsMerged)],
        ['rejected', formatCount(tally.rowsRejected)],
      ],
    ),
    ...sortedProblems(tally).map(([kind, { count, examples }]) => renderExamples(kind, count, examples)),
    renderTable(
      ['country', 'places', 'level 1', 'level 2', 'level 3', 'level 4', 'codes'],
      countriesWithPlaces(manifest).map(({ code, levelCounts, distinctPostcodes }) => [
        code,
        formatCount(sum(levelCounts)),
        ...levelCounts.map(formatCount),
        formatCount(distinctPostcodes),
      ]),
    ),
    renderTable(
      ['section', 'size'],
      manifest.sections.map(({ name, length }) => [name, formatBytes(length)]),
    ),
    renderTable(
      ['phase', 'seconds'],
      Object.entries(report.secondsByPhase).map(([phase, seconds]) => [phase, seconds.toFixed(1)]),
    ),
    formatsAsText(report),
    ...cleaningAsBlocks(report.cleaning),
    subdivisionsAsText(report.subdivisions),
    correctionsAsText(report.corrections),
    previousAsText(report),
    gazetteerAsText(report.gazetteer),
    report.ignoredFiles.length > 0 ? `not part of the release: ${report.ignoredFiles.map(printable).join(', ')}` : '',
    `${report.seconds.toFixed(1)} s, peak memory ${formatBytes(report.peakMemoryBytes)}, about ${formatBytes(report.neededMemoryBytes)} expected`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function countriesWithPlaces(manifest: Manifest) {
  return manifest.countries.filter(({ slices }) => slices.length > 0);
}

function sortedProblems({ problems }: Tally): [ProblemKind, Problem][] {
  return listProblems(problems, Object.keys(PROBLEM_KINDS) as ProblemKind[]);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function previousAsText({ previous, unusedPreviousPath: unused }: BuildReport): string {
  if (unused !== null) {
    return `no previous snapshot: no snapshot is in service in ${printable(unused)} yet, so old paths lead nowhere; publish this snapshot there, and the next build finds it`;
  }
  if (previous === null) return 'no previous snapshot: old paths lead nowhere (--previous names one)';
  const { path, release, oldPaths } = previous;
  return `previous snapshot: ${path}, release ${release}; ${formatCount(oldPaths)} of its paths lead to places that have other paths now`;
}

function formatsAsText({ postalCodeFormats }: BuildReport): string {
  if (postalCodeFormats.length === 0) return 'postal code formats: all as given';
  const shown = postalCodeFormats.map(
    ({ countryCode, given, used }) => `${countryCode} ${printable(given ?? 'none')} → ${used ?? 'none'}`,
  );
  return `postal code formats, as given → as the codes fit: ${shown.join(', ')}`;
}
