/** The report of a build: tables for people, or the same figures as one JSON object for programs. */

import type { Manifest } from '../../src/core/snapshot/manifest.js';
import type { BuildReport, GazetteerReport } from '../building/build-snapshot.js';
import type { CityExample } from '../cities/match-tally.js';
import { PLACED_KINDS, type PlacedKind } from '../cities/placed-cities.js';
import type { CleaningTally } from '../cleaning/cleaning-tally.js';
import { CORRECTION_ACTIONS } from '../corrections/correction.js';
import { type CorrectionReport, STALE_KINDS } from '../corrections/correction-tally.js';
import { ALTERNATE_NAME_PROBLEM_KINDS } from '../gazetteer/alternate-name-row.js';
import { CITY_PROBLEM_KINDS } from '../gazetteer/city-row.js';
import { UNIT_PROBLEM_KINDS } from '../gazetteer/read-gazetteer.js';
import type { SubdivisionTally } from '../place-facts/subdivision-codes.js';
import { listProblems, PROBLEM_KINDS, type Problem, type ProblemKind, type Tally } from '../reading/row-problems.js';
import { formatBytes, formatCount, formatShare } from '../reporting/figures.js';
import { printable } from '../reporting/printing.js';
import { renderExamples, renderTable } from '../reporting/text-tables.js';
import { FULL_CODE_PROBLEMS, type FullCodesTally } from '../structures/build-full-codes.js';

/* The section of a build report about the cleaning of places. */

export function cleaningAsObject(tally: CleaningTally) {
  return [...tally].map(([kind, { countByCountry, examples }]) => ({
    kind,
    count: countAll(countByCountry),
    countries: Object.fromEntries(countByCountry),
    examples,
  }));
}

/** A block for each kind of change: its count, the countries with the most changes first, some examples. */
export function cleaningAsBlocks(tally: CleaningTally): string[] {
  return [...tally].sort(byKind).map(([kind, { countByCountry, examples }]) => {
    const countries = [...countByCountry]
      .sort(([codeA, a], [codeB, b]) => b - a || (codeA < codeB ? -1 : 1))
      .map(([code, count]) => `${code} ${formatCount(count)}`);
    const lines = [`  ${countries.join(', ')}`, ...examples.map((example) => `  ${printable(example)}`)];
    return [`${kind} (${formatCount(countAll(countByCountry))})`, ...lines].join('\n');
  });
}

function byKind([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function countAll(countByCountry: ReadonlyMap<string, number>): number {
  return [...countByCountry.values()].reduce((sum, count) => sum + count, 0);
}

/* The section of a build report about corrections: how many were applied, and which are stale and can be removed. */

/** The section of the JSON report; null without corrections. */
export function correctionsAsObject(report: CorrectionReport | null): object | null {
  if (report === null) return null;
  const { applied, rowsRemoved, stale } = report.tally;
  return {
    files: report.files,
    applied,
    rowsRemoved,
    stale,
    problems: listProblems(report.tally.problems, STALE_KINDS).map(([kind, problem]) => ({ kind, ...problem })),
  };
}

export function correctionsAsText(report: CorrectionReport | null): string {
  if (report === null) return '';
  const { applied, rowsRemoved, stale } = report.tally;
  const blocks = [
    `corrections of ${report.files.map(printable).join(', ')}`,
    renderTable(
      ['corrections', 'count'],
      [
        ...CORRECTION_ACTIONS.map((action) => [`applied: ${action}`, formatCount(applied[action])]),
        ['stale', formatCount(stale)],
        ['(rows that were read and removed)', formatCount(rowsRemoved)],
      ],
    ),
    ...listProblems(report.tally.problems, STALE_KINDS).map(([kind, { count, examples }]) =>
      renderExamples(kind, count, examples),
    ),
  ];
  return blocks.join('\n\n');
}

/* The section of a build report about full codes. */

/** A table of the countries with full codes, then each kind of problem with examples; none without full codes. */
function fullCodesAsBlocks(tallies: readonly FullCodesTally[]): string[] {
  if (tallies.length === 0) return [];
  const rows = tallies.map(({ file, rowsRead, codesTaken, rowsMerged, rowsRejected }) => [
    file,
    ...[rowsRead, codesTaken, rowsMerged, rowsRejected].map(formatCount),
  ]);
  return [
    renderTable(['full codes', 'rows', 'taken', 'merged', 'rejected'], rows),
    ...tallies.flatMap(({ problems }) =>
      listProblems(problems, FULL_CODE_PROBLEMS).map(([kind, { count, examples }]) =>
        renderExamples(kind, count, examples),
      ),
    ),
  ];
}

/* The gazetteer's section of a build report: how many cities matched a place, by kind of match. */

const PROBLEM_ORDER = [...new Set([...CITY_PROBLEM_KINDS, ...ALTERNATE_NAME_PROBLEM_KINDS, ...UNIT_PROBLEM_KINDS])];
const EXPLANATIONS: Readonly<Record<PlacedKind, string>> = {
  name: 'by name',
  'core name': 'by core name, without "city", "shi" and similar words',
  'other name': 'by another name',
  outside: "by name and admin unit, far from the release's position",
  'parts by name': 'by parts named after the city',
  'parts around': 'by parts around the city',
  'similar name': 'by a name one letter apart',
  'shared place': 'a second record of a city that is found',
  inside: 'without a matching place, inside an admin unit',
  'in larger city': 'in a larger city',
  none: 'not found',
};

/** The section of the JSON report; null without a gazetteer. */
export function gazetteerAsObject(report: GazetteerReport | null): object | null {
  if (report === null) return null;
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const { citiesRead, citiesTaken, namesRead, namesTaken } = tally;
  return {
    citiesFile,
    alternateNamesFile,
    cities: { read: citiesRead, taken: citiesTaken },
    alternateNames: { read: namesRead, taken: namesTaken },
    problems: listProblems(tally.problems, PROBLEM_ORDER).map(([kind, problem]) => ({ kind, ...problem })),
    matched: PLACED_KINDS.map((kind) => ({ kind, ...matches.kinds[kind] })),
    wider: matches.wider,
    synthesised: { ...matches.synthesised, largest: matches.synthesisedExamples },
    renamedPlaces: matches.renamed,
    movedPlaces: matches.moved,
    unmatched: matches.unmatched,
  };
}

export function gazetteerAsText(report: GazetteerReport | null): string {
  if (report === null) {
    return 'no gazetteer: suggestions have neither populations nor names in other languages';
  }
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const sums = PLACED_KINDS.map((kind) => matches.kinds[kind]);
  const people = sums.reduce((total, sum) => total + sum.people, 0);
  const blocks = [
    [
      `${printable(citiesFile)}: ${formatCount(tally.citiesTaken)} of ${formatCount(tally.citiesRead)} rows taken`,
      alternateNamesFile === null
        ? 'no table of alternate names: other names are those in the rows of the cities'
        : `${printable(alternateNamesFile)}: ${formatCount(tally.namesTaken)} of ${formatCount(tally.namesRead)} rows about these cities taken`,
    ].join('\n'),
    ...listProblems(tally.problems, PROBLEM_ORDER).map(([kind, { count, examples }]) =>
      renderExamples(kind, count, examples),
    ),
    renderTable(
      ['cities', 'count', 'people', 'share'],
      [
        ...PLACED_KINDS.map((kind) => [EXPLANATIONS[kind], matches.kinds[kind]] as const),
        ['(of the cities found: an admin unit that is wider)', matches.wider] as const,
        ['(of the cities found: a place was synthesised)', matches.synthesised] as const,
      ].map(([text, sum]) => [text, formatCount(sum.cities), formatCount(sum.people), formatShare(sum.people, people)]),
    ),
    listExamples('synthesised, the largest', matches.synthesisedExamples),
    matches.renamed === 0 ? '' : `places renamed from a romanised to a common name: ${formatCount(matches.renamed)}`,
    matches.moved === 0 ? '' : `places moved to the gazetteer's position of their city: ${formatCount(matches.moved)}`,
    listExamples('not found, the largest', matches.unmatched),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function listExamples(title: string, cities: readonly CityExample[]): string {
  if (cities.length === 0) return '';
  return `${title}: ${cities.map(({ name, countryCode }) => printable(`${name} ${countryCode}`)).join(', ')}`;
}

/* The section of a build report about the codes of ISO 3166-2: what has no partner, by country. */

export function subdivisionsAsText(tallies: readonly SubdivisionTally[]): string {
  const sumOf = (count: (tally: SubdivisionTally) => number): number =>
    tallies.reduce((sum, tally) => sum + count(tally), 0);
  const units = sumOf((tally) => tally.units);
  const without = sumOf(({ unitsWithoutCode }) => unitsWithoutCode);
  const first = `ISO 3166-2: ${formatCount(units - without)} of ${formatCount(units)} first-level units have a code`;
  const rows = tallies
    .filter(({ unitsWithoutCode, codesWithoutUnit }) => unitsWithoutCode + codesWithoutUnit > 0)
    .map(({ countryCode, units: count, unitsWithoutCode, unitNames, codesWithoutUnit, codes }) => [
      countryCode,
      formatCount(count),
      formatCount(unitsWithoutCode),
      formatCount(codesWithoutUnit),
      [list(unitNames.map(printable), unitsWithoutCode), list(codes, codesWithoutUnit)]
        .filter((text) => text !== '')
        .join('; without a unit: '),
    ]);
  if (rows.length === 0) return first;
  return `${first}\n${renderTable(['country', 'units', 'without a code', 'codes without a unit', 'these are'], rows)}`;
}

function list(names: readonly string[], count: number): string {
  return names.length < count ? `${names.join(', ')} …` : names.join(', ');
}

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
    fullCodes: report.fullCodes.map(({ problems, ...tally }) => ({
      ...tally,
      problems: listProblems(problems, FULL_CODE_PROBLEMS).map(([kind, problem]) => ({ kind, ...problem })),
    })),
    sources: report.sources,
    gazetteer: gazetteerAsObject(report.gazetteer),
    corrections: correctionsAsObject(report.corrections),
    previous: report.previous,
    secondsByPhase: report.secondsByPhase,
    seconds: report.seconds,
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
    ...fullCodesAsBlocks(report.fullCodes),
    correctionsAsText(report.corrections),
    previousAsText(report),
    gazetteerAsText(report.gazetteer),
    report.sources.map(({ name, license, attribution }) => `${name}, ${license.name}: ${attribution}`).join('\n'),
    report.ignoredFiles.length > 0 ? `not part of the release: ${report.ignoredFiles.map(printable).join(', ')}` : '',
    `${report.seconds.toFixed(1)} s, peak memory ${formatBytes(report.peakMemoryBytes)}`,
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
