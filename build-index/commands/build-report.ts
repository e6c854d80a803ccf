/** The report of `build` as one object, for programs and, with some words, for people. */

import { listManifestCountriesWithData, type Manifest, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import type { BuildReport, GazetteerReport } from '../building/build-snapshot.js';
import { PLACED_KINDS, type PlacedKind } from '../cities/placed-cities.js';
import type { CleaningTally } from '../cleaning/cleaning-tally.js';
import { type CorrectionReport, STALE_KINDS } from '../corrections/correction-tally.js';
import { ALTERNATE_NAME_PROBLEM_KINDS } from '../gazetteer/alternate-name-row.js';
import { CITY_PROBLEM_KINDS } from '../gazetteer/city-row.js';
import { UNIT_PROBLEM_KINDS } from '../gazetteer/read-gazetteer.js';
import { listProblems, PROBLEM_KINDS, type ProblemKind } from '../reading/row-problems.js';
import { FULL_CODE_PROBLEMS } from '../structures/build-full-codes.js';

/** The same figures; lists that hardly anybody reads to their end are cut short, and kinds of matches are explained. */
export function buildReportForPeople(report: BuildReport): object {
  const object = buildReportAsObject(report);
  return {
    ...object,
    cleaning: object.cleaning.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    subdivisions: object.subdivisions.filter((tally) => tally.unitsWithoutCode + tally.codesWithoutUnit > 0),
    sources: object.sources.map(({ name, license, attribution }) => `${name}, ${license.name}: ${attribution}`),
    gazetteer:
      object.gazetteer === null
        ? 'none: suggestions have neither populations nor names in other languages'
        : {
            ...object.gazetteer,
            matched: object.gazetteer.matched.map(({ kind, ...sum }) => ({ kind: EXPLANATIONS[kind], ...sum })),
          },
    previous: object.previous ?? explainMissing(report.unusedPreviousPath),
  };
}

function explainMissing(unusedPath: string | null): string {
  if (unusedPath === null) return 'none: old paths lead nowhere (--previous names a snapshot)';
  const remedy = 'publish this snapshot there, and the next build finds it';
  return `none: no snapshot is in service in ${unusedPath} yet, so old paths lead nowhere; ${remedy}`;
}

export function buildReportAsObject(report: BuildReport) {
  const { manifest, tally } = report;
  return {
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
    problems: listProblems(tally.problems, Object.keys(PROBLEM_KINDS) as ProblemKind[]),
    countries: listCountries(manifest),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    ignoredFiles: report.ignoredFiles,
    postalCodeFormats: report.postalCodeFormats,
    cleaning: cleaningAsObject(report.cleaning),
    subdivisions: report.subdivisions,
    fullCodes: report.fullCodes.map(({ problems, ...tally }) => ({
      ...tally,
      problems: listProblems(problems, FULL_CODE_PROBLEMS),
    })),
    sources: report.sources,
    gazetteer: gazetteerAsObject(report.gazetteer),
    corrections: correctionsAsObject(report.corrections),
    previous: report.previous,
    secondsByPhase: report.secondsByPhase,
    seconds: report.seconds,
    peakMemoryBytes: report.peakMemoryBytes,
  };
}

function listCountries(manifest: Manifest) {
  return listManifestCountriesWithData(manifest).map((country) => ({
    code: country.code,
    places: manifestPlaceCount(country),
    levels: country.levelCounts,
    distinctPostcodes: country.distinctPostcodes,
  }));
}

function cleaningAsObject(tally: CleaningTally) {
  return [...tally].map(([kind, { countByCountry, examples }]) => ({
    kind,
    count: [...countByCountry.values()].reduce((sum, count) => sum + count, 0),
    countries: Object.fromEntries(countByCountry),
    examples,
  }));
}

/** Null without corrections. */
function correctionsAsObject(report: CorrectionReport | null) {
  if (report === null) return null;
  const { applied, rowsRemoved, stale, problems } = report.tally;
  return { files: report.files, applied, rowsRemoved, stale, problems: listProblems(problems, STALE_KINDS) };
}

const PROBLEM_ORDER = [...new Set([...CITY_PROBLEM_KINDS, ...ALTERNATE_NAME_PROBLEM_KINDS, ...UNIT_PROBLEM_KINDS])];

/** Null without a gazetteer. */
function gazetteerAsObject(report: GazetteerReport | null) {
  if (report === null) return null;
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const { citiesRead, citiesTaken, namesRead, namesTaken } = tally;
  return {
    citiesFile,
    alternateNamesFile,
    cities: { read: citiesRead, taken: citiesTaken },
    alternateNames: { read: namesRead, taken: namesTaken },
    problems: listProblems(tally.problems, PROBLEM_ORDER),
    matched: PLACED_KINDS.map((kind) => ({ kind, ...matches.kinds[kind] })),
    wider: matches.wider,
    synthesised: { ...matches.synthesised, largest: matches.synthesisedExamples },
    renamedPlaces: matches.renamed,
    movedPlaces: matches.moved,
    unmatched: matches.unmatched,
  };
}

/** How the cities of a kind were found. */
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
