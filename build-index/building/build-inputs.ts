/**
 * Finds all inputs of a build before it starts: the tables and their lengths, the facts of countries, and the
 * corrections. Splits an allCountries file by country.
 */

import type { Correction } from '../corrections/correction.js';
import { checkCorrectionCountries, readCorrections } from '../corrections/read-corrections.js';
import { type CountryFacts, loadCountryFacts } from '../data-tables/country-facts.js';
import type { GazetteerFiles } from '../reading/gazetteer-files.js';
import type { CountryFile, Release } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';
import type { Tally } from '../reading/row-problems.js';
import { splitByCountry } from '../reading/split-by-country.js';

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

/** Creates `scratchFolder` to split an allCountries file. */
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
  checkCorrectionCountries(
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
  return allCountries === null ? countryFiles : await splitByCountry(allCountries, scratchFolder, tally);
}

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
