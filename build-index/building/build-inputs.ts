/**
 * Finds all inputs of a build before it starts: the tables and their lengths, the facts of countries, and the
 * corrections. Splits an allCountries file by country.
 */
import type { Correction } from '../corrections/correction.js';
import { checkCountries, readCorrections } from '../corrections/read-corrections.js';
import { findGazetteer, type GazetteerFiles } from '../gazetteer/gazetteer-files.js';
import type { Tally } from '../reading/build-problem.js';
import { type CountryFacts, loadCountryFacts } from '../reading/country-facts.js';
import { spoolCountries } from '../reading/country-spool.js';
import type { CountryFile, Release } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';

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
  readonly facts: readonly CountryFacts[];
  readonly corrections: ReadonlyMap<string, readonly Correction[]>;
  readonly gazetteerFiles: GazetteerFiles;
}

/**
 * Creates `scratchFolder` to split an allCountries file. Throws ReleaseError, CorrectionError, or what node:fs throws.
 */
export async function lookUpInputs(
  release: Release,
  options: Pick<BuildOptions, 'releasePath' | 'gazetteerPath' | 'correctionPaths' | 'countries'>,
  scratchFolder: string,
  tally: Tally,
): Promise<BuildInputs> {
  const facts = loadCountryFacts(release.countryInfo);
  const corrections = readCorrections(options.correctionPaths, new Set(facts.map(({ code }) => code)));
  const gazetteerFiles = await findGazetteer(options.releasePath, options.gazetteerPath);
  const files = await countryFilesOf(release, scratchFolder, options.countries, tally);
  checkCountries(
    corrections,
    files.map(({ countryCode }) => countryCode),
  );
  return { files, facts, corrections, gazetteerFiles };
}

async function countryFilesOf(
  release: Release,
  scratchFolder: string,
  only: readonly string[] | null,
  tally: Tally,
): Promise<readonly CountryFile[]> {
  const files =
    release.allCountries === null
      ? release.countryFiles
      : await spoolCountries(release.allCountries, scratchFolder, tally);
  if (only === null) return files;
  const missing = only.filter((code) => !files.some(({ countryCode }) => countryCode === code));
  if (missing.length > 0) throw new ReleaseError(`the release has no rows of ${missing.join(', ')}`);
  return files.filter(({ countryCode }) => only.includes(countryCode));
}
