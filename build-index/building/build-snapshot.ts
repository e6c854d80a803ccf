/**
 * `build`: compiles a release into one snapshot file. Countries are built on all cores and written in the order of
 * their codes. They are verified while the index of the world and the manifest are built; then the whole file is
 * verified. The file gets its name only when it is complete, synced and verified; a failed or killed build leaves the
 * previous file.
 */

import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { makeFolder } from '../../src/base/make-folder.js';
import { packageVersion } from '../../src/base/package-root.js';
import { FOLDING_VERSION } from '../../src/core/snapshot/fold-text.js';
import type { Manifest, Source } from '../../src/core/snapshot/manifest.js';
import { addMatchTally, createMatchTally, type MatchTally } from '../cities/match-tally.js';
import { addCleaningTally, type CleaningTally, createCleaningTally } from '../cleaning/cleaning-tally.js';
import {
  addCorrectionTally,
  type CorrectionReport,
  type CorrectionTally,
  createCorrectionTally,
} from '../corrections/correction-tally.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import { listSources } from '../data-tables/data-sources.js';
import { openPrevious, type PreviousSnapshot } from '../diffing/previous-snapshot.js';
import { type Gazetteer, type GazetteerTally, readGazetteer } from '../gazetteer/read-gazetteer.js';
import type { SubdivisionTally } from '../place-facts/subdivision-codes.js';
import type { Pool } from '../pool/pool.js';
import type { GazetteerFiles } from '../reading/gazetteer-files.js';
import { findGazetteer } from '../reading/gazetteer-files.js';
import { openRelease, type Release } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';
import { addRowTally, createRowTally, explainProblems, type Tally } from '../reading/row-problems.js';
import type { Progress } from '../reporting/progress.js';
import { buildCountryNamesByLanguage } from '../structures/build-country-names-by-language.js';
import type { FullCodesTally } from '../structures/build-full-codes.js';
import {
  hashBigCityNames,
  hashCountryNames,
  type NamesOfCountries,
  readBigCityNames,
} from '../structures/hashed-names.js';
import { createVerifier } from '../verifying/verify-snapshot.js';
import { createOutput } from '../writing/output-file.js';
import type { BuildCountryTask, BuiltCountry } from './build-country.js';
import { type BuildInputs, type BuildOptions, lookUpInputs } from './build-inputs.js';
import { runWorldTask } from './build-world.js';
import { contentName } from './content-name.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { type KeptCountry, listDetails, writeCountrySections, writeWorldSections } from './write-sections.js';

/** The gazetteer of a build: its rows and its matches. */
export interface GazetteerReport {
  readonly citiesFile: string;
  /** Null without a table of alternate names. */
  readonly alternateNamesFile: string | null;
  readonly tally: GazetteerTally;
  /** The matches of the cities in the built countries. */
  readonly matches: MatchTally;
}

/** The previous snapshot of a build. */
interface PreviousReport {
  readonly path: string;
  readonly release: string;
  /** Number of its paths that lead to places with other paths now. */
  readonly oldPaths: number;
}

/** A country whose codes don't fit the format in the release or in the project's own table. */
interface CorrectedFormat {
  readonly countryCode: string;
  readonly given: string | null;
  readonly used: string | null;
}

export interface BuildReport {
  readonly outPath: string;
  readonly manifest: Manifest;
  readonly fileBytes: number;
  readonly tally: Tally;
  readonly ignoredFiles: readonly string[];
  readonly postalCodeFormats: readonly CorrectedFormat[];
  readonly cleaning: CleaningTally;
  /** The countries with first-level units. */
  readonly subdivisions: readonly SubdivisionTally[];
  /** The countries with full codes. */
  readonly fullCodes: readonly FullCodesTally[];
  /** Whom to credit; those of the manifest, or GeoNames alone. */
  readonly sources: readonly Source[];
  /** Null without a gazetteer. */
  readonly gazetteer: GazetteerReport | null;
  /** Null without a file of corrections. */
  readonly corrections: CorrectionReport | null;
  /** Null without a previous snapshot. */
  readonly previous: PreviousReport | null;
  /** The folder that was given for the previous snapshot, if no snapshot is in service there yet; null otherwise. */
  readonly unusedPreviousPath: string | null;
  /**
   * The seconds of reading, tree, matching and structures are sums over all threads. The seconds of the world (its
   * index is built while countries are verified) and of verifying both start when the last country is built.
   */
  readonly secondsByPhase: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly peakMemoryBytes: number;
}

/** After an error the file at `outPath` is unchanged. */
export async function buildSnapshot(options: BuildOptions, pool: Pool, progress: Progress): Promise<BuildReport> {
  const startedAt = performance.now();
  const previous = options.previousPath === null ? null : await openPrevious(options.previousPath);
  try {
    return await buildAfter(previous, startedAt, options, pool, progress);
  } finally {
    progress.stop();
    previous?.close();
  }
}

async function buildAfter(
  previous: PreviousSnapshot | null,
  startedAt: number,
  options: BuildOptions,
  pool: Pool,
  progress: Progress,
): Promise<BuildReport> {
  const outPath = resolve(options.outPath);
  const release = await openRelease(options.releasePath);
  const { releasePath, gazetteerPath, countries: codes } = options;
  const gazetteerFiles = await findGazetteer(releasePath, gazetteerPath, release.countryFiles, codes);
  makeFolder(dirname(outPath));
  const read = listInputs(release, gazetteerFiles, options.correctionPaths);
  const partial = createOutput(outPath, { inputs: read, isSnapshot: true });
  const totals: Totals = {
    tally: createRowTally(),
    cleaning: createCleaningTally(),
    corrections: createCorrectionTally(),
    matches: createMatchTally(),
    phases: { gazetteer: 0, reading: 0, tree: 0, matching: 0, structures: 0, world: 0, verifying: 0 },
  };
  const { tally, phases } = totals;
  try {
    const inputs = await lookUpInputs(release, gazetteerFiles, options, partial.scratchFolder, tally);
    const { facts } = inputs;
    const foundAt = performance.now();
    const gazetteer = await readGazetteer(gazetteerFiles);
    phases.gazetteer = (performance.now() - foundAt) / 1000;
    const writer = new SnapshotWriter(partial.fd);
    const tasks = countryTasks(inputs, options.siteUrl, gazetteer, previous);
    progress.start('building', tasks.length);
    const [kept, countryNames] = await Promise.all([
      buildCountries(tasks, writer, pool, progress, totals),
      nameCountries(facts, gazetteer, gazetteerFiles.isByCountry),
    ]);
    if (kept.length === 0) {
      const reason = `among ${tally.rowsRead}${explainProblems(tally.problems)}`;
      throw new ReleaseError(`${options.releasePath}: not one usable row ${reason}`);
    }
    const builtAt = performance.now();
    const countries = writeCountrySections(writer, kept, facts);
    // Most of the file reaches the disk while the rest of it is made.
    const synced = writer.sync();
    const contents = { siteUrl: options.siteUrl, countries, sections: [...writer.writtenSections] };
    const verifier = createVerifier(partial.path, pool, progress);
    const world = runWorldTask(pool, {
      kind: 'build-world',
      step: 'building the index of the world',
      path: partial.path,
      countries,
      sections: contents.sections,
      rankKeys: new Map(kept.map(({ code, rankKeys }) => [code, rankKeys])),
      namesOfCountries: countryNames.hashed,
    });
    const verified = verifier.verifyCountries(contents);
    // Promise.all below throws a fault; these handlers keep Node from reporting it as unhandled before.
    for (const early of [synced, verified]) early.catch(() => {});
    writeWorldSections(writer, contents, listDetails(kept, facts), await world, () => countryNames.byLanguage);
    const fullCodes = kept.flatMap((country) => country.fullCodes ?? []);
    const withCodes = fullCodes.filter(({ codesTaken }) => codesTaken > 0);
    const sources = listSources(
      gazetteerFiles,
      withCodes.map(({ countryCode }) => countryCode),
    );
    const manifest: Manifest = {
      release: options.releaseName ?? release.sourceDate ?? contentName(writer.writtenSections),
      sourceDate: release.sourceDate,
      previousRelease: previous?.manifest.release ?? null,
      builderVersion: packageVersion(),
      siteUrl: options.siteUrl,
      foldingVersion: FOLDING_VERSION,
      countries,
      sections: writer.writtenSections,
      sources: sources.length > 1 ? sources : [],
    };
    const fileBytes = writer.finish(manifest);
    phases.world = (performance.now() - builtAt) / 1000;
    await Promise.all([synced, writer.sync(), verified, verifier.verifyWhole(manifest)]);
    phases.verifying = (performance.now() - builtAt) / 1000;
    partial.publish();
    return {
      outPath,
      manifest,
      fileBytes,
      tally,
      ignoredFiles: release.ignoredFiles,
      postalCodeFormats: listCorrected(kept, facts),
      cleaning: totals.cleaning,
      subdivisions: kept.map(({ subdivisions }) => subdivisions).filter(({ units }) => units > 0),
      fullCodes,
      sources,
      gazetteer: reportGazetteer(gazetteerFiles, gazetteer, totals.matches),
      corrections:
        options.correctionPaths.length === 0 ? null : { files: options.correctionPaths, tally: totals.corrections },
      previous: reportPrevious(previous, kept),
      unusedPreviousPath: previous === null ? options.previousPath : null,
      secondsByPhase: phases,
      seconds: (performance.now() - startedAt) / 1000,
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    };
  } finally {
    partial.discard();
  }
}

/** The paths of all files that the build reads, but for the previous snapshot, whose place the new one may take. */
function listInputs(
  { paths }: Release,
  { cities, alternateNames, units }: GazetteerFiles,
  correctionPaths: readonly string[],
): string[] {
  return [...paths, ...correctionPaths, ...[cities, alternateNames, units].flat().map(({ path }) => path)];
}

function listCorrected(kept: readonly KeptCountry[], facts: readonly CountryFacts[]): CorrectedFormat[] {
  return kept.flatMap(({ code, postalCodeFormat: used }) => {
    const given = facts.find((country) => country.code === code)?.postalCodeFormats[0] ?? null;
    return given === used ? [] : [{ countryCode: code, given, used }];
  });
}

function reportGazetteer(
  { cities: [cities], alternateNames: [alternateNames] }: GazetteerFiles,
  gazetteer: Gazetteer | null,
  matches: MatchTally,
): GazetteerReport | null {
  if (cities === undefined || gazetteer === null) return null;
  return {
    citiesFile: cities.path,
    alternateNamesFile: alternateNames?.path ?? null,
    tally: gazetteer.tally,
    matches,
  };
}

function reportPrevious(previous: PreviousSnapshot | null, kept: readonly KeptCountry[]): PreviousReport | null {
  if (previous === null) return null;
  const oldPaths = kept.reduce((sum, { oldPathCount }) => sum + oldPathCount, 0);
  return { path: previous.path, release: previous.manifest.release, oldPaths };
}

/** What the countries add to the report. */
interface Totals {
  readonly tally: Tally;
  readonly cleaning: CleaningTally;
  readonly corrections: CorrectionTally;
  readonly matches: MatchTally;
  /** Seconds by phase. */
  readonly phases: Record<keyof BuiltCountry['seconds'] | 'gazetteer' | 'world' | 'verifying', number>;
}

/** Bytes of a table of full codes that take as long as one byte of a country's table. */
const FULL_BYTES_PER_BYTE = 10;

function countryTasks(
  { files, fullFiles, facts, corrections }: BuildInputs,
  siteUrl: string,
  gazetteer: Gazetteer | null,
  previous: PreviousSnapshot | null,
): BuildCountryTask[] {
  return files.map((file) => {
    const fullFile = fullFiles.find(({ countryCode }) => countryCode === file.countryCode) ?? null;
    return {
      kind: 'build-country',
      step: `building ${file.countryCode}`,
      size: file.textBytes + (fullFile?.textBytes ?? 0) / FULL_BYTES_PER_BYTE,
      file,
      fullFile,
      facts: facts.find(({ code }) => code === file.countryCode) ?? null,
      siteUrl,
      cities: gazetteer === null ? null : (gazetteer.citiesByCountry.get(file.countryCode) ?? []),
      unitNames: gazetteer?.unitNamesByCountry.get(file.countryCode) ?? new Map(),
      corrections: corrections.get(file.countryCode) ?? [],
      previous: previous?.countryOf(file.countryCode) ?? null,
    };
  });
}

/** The names of countries, made on this thread once the threads of the pool build countries. */
async function nameCountries(
  facts: readonly CountryFacts[],
  gazetteer: Gazetteer | null,
  isByCountry: boolean,
): Promise<{ readonly hashed: NamesOfCountries; readonly byLanguage: readonly Uint8Array[] }> {
  await setImmediate();
  const codes = facts.map(({ code }) => code);
  return {
    hashed: {
      bigCityNames: isByCountry ? readBigCityNames(codes) : hashBigCityNames(gazetteer, codes),
      countryNames: hashCountryNames(facts),
    },
    byLanguage: gazetteer === null ? [] : buildCountryNamesByLanguage(facts, gazetteer),
  };
}

/** Builds every country, writes its answers, and adds to the totals. */
async function buildCountries(
  tasks: readonly BuildCountryTask[],
  writer: SnapshotWriter,
  pool: Pool,
  progress: Progress,
  totals: Totals,
): Promise<KeptCountry[]> {
  const kept: KeptCountry[] = [];
  const answersSection = writer.beginSection('place-answers');
  for await (const built of pool.run(tasks)) {
    const { tally, correctionTally, seconds, matchTally, countryCode: code, cleaning, ...country } = built;
    addRowTally(totals.tally, tally);
    addCleaningTally(totals.cleaning, cleaning);
    addCorrectionTally(totals.corrections, correctionTally);
    for (const phase of ['reading', 'tree', 'matching', 'structures'] as const) totals.phases[phase] += seconds[phase];
    if (matchTally !== null) addMatchTally(totals.matches, matchTally);
    progress.step(code);
    const { rankKeys, subdivisions } = country;
    const [answers, ...slices] = country.slices;
    if (answers === undefined || rankKeys === null || subdivisions === null) continue;
    kept.push({ ...country, code, answersSlice: answersSection.append(answers), slices, rankKeys, subdivisions });
  }
  answersSection.end();
  return kept;
}
