/** The report of a build: a few tables for people, one JSON object with the same figures for machines. */
import type { Manifest } from '../../src/format/manifest.js';
import type { BuildReport } from '../building/build-snapshot.js';
import { EXAMPLES_PER_KIND, PROBLEM_KINDS, type ProblemKind, type Tally } from '../reading/build-problem.js';
import { formatBytes, formatCount, printable, renderTable } from '../reporting/tables.js';
import { cleaningAsBlocks, cleaningAsObject } from './cleaning-report.js';
import { correctionsAsObject, correctionsAsText } from './corrections-report.js';
import { gazetteerAsObject, gazetteerAsText } from './gazetteer-report.js';

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
    gazetteer: gazetteerAsObject(report.gazetteer),
    corrections: correctionsAsObject(report.corrections),
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
    ...sortedProblems(tally).map(([kind, { count, examples }]) => {
      const shown = count > EXAMPLES_PER_KIND ? `, the first ${EXAMPLES_PER_KIND}` : '';
      return [`${kind} (${formatCount(count)}${shown})`, ...examples.map((example) => `  ${printable(example)}`)].join(
        '\n',
      );
    }),
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
    correctionsAsText(report.corrections),
    gazetteerAsText(report.gazetteer),
    report.ignoredFiles.length > 0 ? `not part of the release: ${report.ignoredFiles.map(printable).join(', ')}` : '',
    `${report.seconds.toFixed(1)} s, peak memory ${formatBytes(report.peakMemoryBytes)}, about ${formatBytes(report.neededMemoryBytes)} expected`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function countriesWithPlaces(manifest: Manifest) {
  return manifest.countries.filter(({ slices }) => slices.length > 0);
}

function sortedProblems(tally: Tally): [ProblemKind, { count: number; examples: string[] }][] {
  const kinds = Object.keys(PROBLEM_KINDS) as ProblemKind[];
  return kinds.flatMap((kind) => {
    const problem = tally.problems[kind];
    return problem === undefined ? [] : [[kind, problem] as [ProblemKind, { count: number; examples: string[] }]];
  });
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function formatsAsText({ postalCodeFormats }: BuildReport): string {
  if (postalCodeFormats.length === 0) return 'formats of postal codes: all as told';
  const shown = postalCodeFormats.map(
    ({ countryCode, told, used }) => `${countryCode} ${printable(told ?? 'none')} → ${used ?? 'none'}`,
  );
  return `formats of postal codes, as told and as the codes have them: ${shown.join(', ')}`;
}
