/**
 * `build`: compiles a release into one snapshot file. Countries are built on all cores and written in the order of
 * their codes. They are verified while the index of the world and the manifest are built; then the whole file is
 * verified. The file gets its name only when it is complete, synced and verified; a failed or killed build leaves the
 * previous file.
 */

import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../src/base/make-folder.js';
import { packageVersion } from '../../src/base/package-root.js';
import { FOLDING_VERSION } from '../../src/core/snapshot/fold-text.js';
import { checksumOf } from '../../src/core/snapshot/header.js';
import type { Manifest, Section, Source } from '../../src/core/snapshot/manifest.js';
import { addCleaningTally, type CleaningTally, createCleaningTally } from '../cleaning/clean-places.js';
import {
  addCorrectionTally,
  type Correction,
  type CorrectionReport,
  type CorrectionTally,
  checkCountries,
  createCorrectionTally,
  readCorrections,
} from '../corrections/correction.js';
import { openPrevious, type PreviousSnapshot } from '../diffing/previous-snapshot.js';
import { hashBigCityNames } from '../gazetteer/city-names.js';
import { addMatchTally, createMatchTally, type MatchTally } from '../gazetteer/placed-cities.js';
import {
  findGazetteer,
  type Gazetteer,
  type GazetteerFiles,
  type GazetteerTally,
  readGazetteer,
} from '../gazetteer/read-gazetteer.js';
import type { Pool } from '../pool/pool.js';
import { type CountryFacts, loadCountryFacts } from '../reading/country-facts.js';
import { ReleaseError } from '../reading/input-file.js';
import { type CountryFile, listSources, openRelease, type Release, spoolCountries } from '../reading/release.js';
import { addTally, createTally, type Tally } from '../reading/row.js';
import { printable } from '../reporting/printing.js';
import type { Progress } from '../reporting/progress.js';
import type { FullCodesTally } from '../structures/build-full-codes.js';
import { buildCountryNames } from '../structures/build-names-by-language.js';
import type { SubdivisionTally } from '../structures/subdivision-codes.js';
import { hashCountryNames } from '../structures/world-name-index.js';
import { createVerifier } from '../verifying/verify-snapshot.js';
import { createOutput } from '../writing/output-file.js';
import type { BuildCountryTask, BuiltCountry } from './build-country.js';
import {
  type KeptCountry,
  listDetails,
  runWorldTask,
  SnapshotWriter,
  writeCountrySections,
  writeWorldSections,
} from './build-world.js';
import { describeMemory, estimateMemory, type InputLengths, machineMemory } from './memory-need.js';

/*
 * Finds all inputs of a build before it starts: the tables and their lengths, the facts of countries, and the
 * corrections. Splits an allCountries file by country.
 */

export interface BuildOptions {
  readonly releasePath: string;
  readonly outPath: string;
  /** The base address of the places' pages, without a trailing slash. */
  readonly siteUrl: string;
  /** Upper-case codes; null for all countries of the release. */
  readonly countries: readonly string[] | null;
  /** Null for the date of the newest file or, if no file has a date, a checksum of the content. */
  readonly releaseName: string | null;
  /** A table of GeoNames' populated places; null for the largest one in the release's folder, or none. */
  readonly gazetteerPath: string | null;
  /** The operator's files of corrections, in any order. */
  readonly correctionPaths: readonly string[];
  /** The snapshot whose paths lead to the places of this one, or the folder where it was published; null for none. */
  readonly previousPath: string | null;
}

export interface BuildInputs {
  /** The countries to build. */
  readonly files: readonly CountryFile[];
  /** The full codes of these countries. */
  readonly fullFiles: readonly CountryFile[];
  readonly facts: readonly CountryFacts[];
  readonly corrections: ReadonlyMap<string, readonly Correction[]>;
  readonly gazetteerFiles: GazetteerFiles;
}

/**
 * Creates `scratchFolder` to split an allCountries file. Throws ReleaseError, CorrectionError, or what node:fs throws.
 */
export async function lookUpInputs(
  release: Release,
  gazetteerFiles: GazetteerFiles,
  options: Pick<BuildOptions, 'correctionPaths' | 'countries'>,
  scratchFolder: string,
  tally: Tally,
): Promise<BuildInputs> {
  const facts = loadCountryFacts(release.countryInfo);
  const corrections = readCorrections(options.correctionPaths, new Set(facts.map(({ code }) => code)));
  const allFiles = await countryFilesOf(release, scratchFolder, tally);
  requireCountries(release, allFiles, options.countries);
  const isBuilt = ({ countryCode }: CountryFile): boolean => options.countries?.includes(countryCode) !== false;
  const [files, fullFiles] = [allFiles.filter(isBuilt), release.fullFiles.filter(isBuilt)];
  checkCountries(
    corrections,
    files.map(({ countryCode }) => countryCode),
  );
  return { files, fullFiles, facts, corrections, gazetteerFiles };
}

async function countryFilesOf(
  { allCountries, countryFiles }: Release,
  scratchFolder: string,
  tally: Tally,
): Promise<readonly CountryFile[]> {
  return allCountries === null ? countryFiles : await spoolCountries(allCountries, scratchFolder, tally);
}

/** Throws ReleaseError if a country to build, or a country with full codes, has no rows of its own. */
function requireCountries({ fullFiles }: Release, files: readonly CountryFile[], only: readonly string[] | null): void {
  const isMissing = (code: string): boolean => !files.some(({ countryCode }) => countryCode === code);
  const missing = (only ?? []).filter(isMissing);
  if (missing.length > 0) throw new ReleaseError(`the release has no rows of ${missing.join(', ')}`);
  const alone = fullFiles.find(({ countryCode }) => isMissing(countryCode));
  if (alone === undefined) return;
  throw new ReleaseError(
    `${alone.path}: the release has full codes of ${alone.countryCode} but no places; add ${alone.countryCode}.zip or remove the file`,
  );
}

/* The name of a release without dates (text files, whose dates a copy would not keep): a checksum of its content. */

/** `sections` are those of the snapshot of the release. */
export function contentName(sections: readonly Section[]): string {
  const checksums = Uint32Array.from(sections, ({ checksum }) => checksum);
  return `content-${checksumOf(new Uint8Array(checksums.buffer)).toString(16).padStart(8, '0')}`;
}

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
export interface PreviousReport {
  readonly path: string;
  readonly release: string;
  /** Number of its paths that lead to places with other paths now. */
  readonly oldPaths: number;
}

/** A country whose codes don't fit the format in the release or in the project's own table. */
export interface CorrectedFormat {
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
  /** The estimate before the build, see memory-need.ts. */
  readonly neededMemoryBytes: number;
  readonly peakMemoryBytes: number;
}

/**
 * Throws ReleaseError, CorrectionError, SnapshotError or what node:fs throws; then the file at `outPath` is unchanged.
 */
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
  const gazetteerFiles = await findGazetteer(options.releasePath, options.gazetteerPath);
  makeFolder(dirname(outPath));
  const read = listInputs(release, gazetteerFiles, options.correctionPaths);
  const partial = createOutput(outPath, { inputs: read, isSnapshot: true });
  const totals: Totals = {
    tally: createTally(),
    cleaning: createCleaningTally(),
    corrections: createCorrectionTally(),
    matches: createMatchTally(),
    phases: { gazetteer: 0, reading: 0, tree: 0, matching: 0, structures: 0, world: 0, verifying: 0 },
  };
  const { tally, phases } = totals;
  try {
    const inputs = await lookUpInputs(release, gazetteerFiles, options, partial.scratchFolder, tally);
    const { facts } = inputs;
    const neededMemoryBytes = estimateMemory(lengthsOf(inputs), pool.threadCount);
    progress.print(describeMemory(neededMemoryBytes, machineMemory()));
    const foundAt = performance.now();
    const gazetteer = await readGazetteer(gazetteerFiles);
    phases.gazetteer = (performance.now() - foundAt) / 1000;
    const writer = new SnapshotWriter(partial.fd);
    const tasks = countryTasks(inputs, options.siteUrl, gazetteer, previous);
    progress.start('building', tasks.length);
    const kept = await buildCountries(tasks, writer, pool, progress, totals);
    if (kept.length === 0) throw new ReleaseError(`${options.releasePath}: not one usable row${explainTally(tally)}`);
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
      namesOfCountries: {
        bigCityNames: hashBigCityNames(
          gazetteer,
          countries.map(({ code }) => code),
        ),
        countryNames: hashCountryNames(facts).encode(),
      },
    });
    const verified = verifier.verifyCountries(contents);
    // Promise.all below throws a fault; these handlers keep Node from reporting it as unhandled before.
    for (const early of [synced, verified]) early.catch(() => {});
    writeWorldSections(writer, contents, listDetails(kept, facts), await world, () =>
      gazetteer === null ? [] : buildCountryNames(facts, gazetteer),
    );
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
      neededMemoryBytes,
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
  const tables = [cities, alternateNames, units].filter((table) => table !== null);
  return [...paths, ...correctionPaths, ...tables.map(({ path }) => path)];
}

function lengthsOf({ files, fullFiles, gazetteerFiles: { cities, alternateNames } }: BuildInputs): InputLengths {
  return {
    tables: files.map(({ textBytes }) => textBytes),
    fullCodes: fullFiles.reduce((sum, { textBytes }) => sum + textBytes, 0),
    cities: cities?.textBytes ?? 0,
    hasAlternateNames: alternateNames !== null,
  };
}

function listCorrected(kept: readonly KeptCountry[], facts: readonly CountryFacts[]): CorrectedFormat[] {
  return kept.flatMap(({ code, postalCodeFormat: used }) => {
    const given = facts.find((country) => country.code === code)?.postalCodeFormats[0] ?? null;
    return given === used ? [] : [{ countryCode: code, given, used }];
  });
}

function reportGazetteer(
  { cities, alternateNames }: GazetteerFiles,
  gazetteer: Gazetteer | null,
  matches: MatchTally,
): GazetteerReport | null {
  if (cities === null || gazetteer === null) return null;
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

/** Explains why no row of a release is usable. */
function explainTally({ rowsRead, problems }: Tally): string {
  const kinds = Object.entries(problems).map(
    ([kind, { count, examples }]) => `\n  ${kind} (${count}), e.g. ${printable(examples[0] ?? '')}`,
  );
  return ` among ${rowsRead}${kinds.join('')}`;
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
    addTally(totals.tally, tally);
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
