/**
 * Downloads the files of a GeoNames release into a folder, one at a time so as not to burden the server. A failed file
 * does not stop the next. Only one download at a time may use a folder.
 */

import { makeFolder } from '../../src/base/make-folder.js';
import { DownloadError, type RetryPolicy, SYSTEM_NETWORK } from '../../src/base/requests.js';
import { INPUT_LIMITS } from '../reading/input-file.js';
import { describeSystemError, formatBytes, isSystemError } from '../reporting/printing.js';
import type { Progress } from '../reporting/progress.js';
import { type DownloadedFile, type DownloadLimits, DownloadRecord, FileDownload } from './download-file.js';

export interface DownloadOptions {
  /** The address of the folder of postal files, with a slash at its end. */
  readonly from: URL;
  /** The address of the folder of the gazetteer's tables, with a slash at its end. */
  readonly gazetteerFrom: URL;
  /** Files of the gazetteer, "cities500.zip". */
  readonly gazetteerFiles: readonly string[];
  /** The path of the folder, which is created if it is missing. */
  readonly folder: string;
  /** Codes of countries, or null for allCountries.zip. */
  readonly countries: readonly string[] | null;
  /** Whether to fetch the full codes of these countries too, where GeoNames has a file of them. */
  readonly fullCodes: boolean;
  readonly limits: DownloadLimits;
  readonly retryPolicy: RetryPolicy;
}

/** The countries with a file of full codes, which allCountries.zip lacks. */
const FULL_CODE_COUNTRIES = ['CA', 'GB', 'NL'];

export type DownloadResult =
  | ({ readonly file: string } & DownloadedFile)
  | { readonly file: string; readonly status: 'failed'; readonly bytes: null; readonly error: string };

/** The same size limits as in a build. */
export const DEFAULT_LIMITS: DownloadLimits = {
  maxFileBytes: INPUT_LIMITS.zipBytes,
  maxTextBytes: INPUT_LIMITS.textBytes,
  stallMs: 30_000,
  minBytesPerSecond: 1_000,
  network: SYSTEM_NETWORK,
};

/** Returns one result for each file. Throws what node:fs throws if the folder can't be created. */
export async function downloadRelease(options: DownloadOptions, progress: Progress): Promise<DownloadResult[]> {
  const { from, gazetteerFrom, gazetteerFiles, folder, countries, fullCodes, limits, retryPolicy } = options;
  const full = fullCodes ? FULL_CODE_COUNTRIES.filter((code) => countries?.includes(code) !== false) : [];
  const files = [
    ...(countries ?? ['allCountries']).map((name) => ({ file: `${name}.zip`, base: from })),
    ...full.map((code) => ({ file: `${code}_full.csv.zip`, base: from })),
    ...gazetteerFiles.map((file) => ({ file, base: gazetteerFrom })),
  ];
  makeFolder(folder);
  const record = new DownloadRecord(folder);
  const results: DownloadResult[] = [];
  progress.start('downloading', files.length);
  for (const { file, base } of files) {
    const showBytes = (bytes: number, totalBytes: number | null): void =>
      progress.note(`${file} ${formatBytes(bytes)}${totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`}`);
    const download = new FileDownload(file, new URL(file, base), folder, record, limits, showBytes);
    try {
      results.push({ file, ...(await download.run(retryPolicy)) });
    } catch (error) {
      results.push({ file, status: 'failed', bytes: null, error: reasonOf(error) });
    }
    progress.step(file);
  }
  progress.stop();
  return results;
}

/** The reason of an error of the network or the file system. Throws any other error. */
function reasonOf(error: unknown): string {
  if (isSystemError(error)) return describeSystemError(error);
  if (!(error instanceof DownloadError)) throw error;
  return error.message;
}
