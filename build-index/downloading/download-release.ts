/**
 * Downloads the files of a GeoNames release into a folder, one at a time so as not to burden the server, and checks that
 * each is a sound zip archive or table. A failed file does not stop the next.
 */

import type { ZipFile } from 'yauzl';
import { makeFolder } from '../../src/base/make-folder.js';
import { DownloadError, retryableError } from '../../src/base/retry.js';
import { type DownloadedFile, DownloadFolder } from '../../src/releases/fetching/download-folder.js';
import { INPUT_LIMITS, readSmallInput } from '../reading/input-file.js';
import { isZipEntryNamed, readZipContent, textNameOfZip, withZip } from '../reading/zip-archive.js';
import { formatBytes } from '../reporting/format-figures.js';
import type { Progress } from '../reporting/progress.js';
import { describeSystemError, isSystemError } from '../reporting/system-error.js';

/*
 * Checks a zip archive: reads every entry, compares its CRC-32, and requires the text file for the builder. Discards
 * the unpacked bytes and limits their number, so that a zip bomb costs only the time for that many bytes.
 */

async function checkZip(path: string, textName: string): Promise<void> {
  try {
    await withZip(path, (zip) => checkEntries(zip, textName));
  } catch (error) {
    throw retryableError(`not a sound zip archive: ${(error as Error).message}`);
  }
}

async function checkEntries(zip: ZipFile, textName: string): Promise<void> {
  const { textBytes: most } = INPUT_LIMITS;
  let [textBytes, hasText] = [0, false];
  for await (const entry of zip.eachEntry()) {
    textBytes += entry.uncompressedSize;
    if (textBytes > most) throw new Error(`it would unpack to more than ${most} bytes`);
    await readZipContent(zip, entry, () => {});
    hasText ||= isZipEntryNamed(entry, textName) && entry.uncompressedSize > 0;
  }
  if (!hasText) throw new Error(`there is no ${textName} with content in it`);
}

/** Maximum length of a table that is published as text, in bytes: that of first-level units has 0.16 MB. */
const MAX_TABLE_BYTES = 1e7;

/** The same for a text file: a page that says that the file is gone has no columns. */
function checkTable(path: string): void {
  try {
    if (!readSmallInput(path, MAX_TABLE_BYTES).includes('\t')) throw new Error('there is no column in it');
  } catch (error) {
    throw retryableError(`not a sound table: ${(error as Error).message}`);
  }
}

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
  /** Maximum time without a byte, in milliseconds. */
  readonly stallMs: number;
  /** Maximum number of retries of each file. */
  readonly retries: number;
}

/** The countries with a file of full codes, which allCountries.zip lacks. */
const FULL_CODE_COUNTRIES = ['CA', 'GB', 'NL'];

export type DownloadResult =
  | ({ readonly file: string } & DownloadedFile)
  | { readonly file: string; readonly status: 'failed'; readonly bytes: null; readonly error: string };

/** Returns one result for each file. */
export async function downloadRelease(options: DownloadOptions, progress: Progress): Promise<DownloadResult[]> {
  const { from, gazetteerFrom, gazetteerFiles, folder, countries, fullCodes, stallMs, retries } = options;
  const full = fullCodes ? FULL_CODE_COUNTRIES.filter((code) => countries?.includes(code) !== false) : [];
  const files = [
    ...(countries ?? ['allCountries']).map((name) => ({ file: `${name}.zip`, base: from })),
    ...full.map((code) => ({ file: `${code}_full.csv.zip`, base: from })),
    ...gazetteerFiles.map((file) => ({ file, base: gazetteerFrom })),
  ];
  makeFolder(folder);
  const target = new DownloadFolder(folder);
  const results: DownloadResult[] = [];
  progress.start('downloading', files.length);
  for (const { file, base } of files) {
    const fileOptions = {
      ...{ stallMs, retries, maxBytes: INPUT_LIMITS.zipBytes },
      check: async (path: string) =>
        file.endsWith('.zip') ? await checkZip(path, textNameOfZip(file)) : checkTable(path),
      onBytes: (bytes: number, totalBytes: number | null) =>
        progress.note(`${file} ${formatBytes(bytes)}${totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`}`),
    };
    try {
      results.push({ file, ...(await target.fetch(file, new URL(file, base), fileOptions)) });
    } catch (error) {
      results.push({ file, status: 'failed', bytes: null, error: reasonOf(error) });
    }
    progress.step(file);
  }
  progress.stop();
  return results;
}

/** The reason of an error of the network or the file system. */
function reasonOf(error: unknown): string {
  if (isSystemError(error)) return describeSystemError(error);
  if (!(error instanceof DownloadError)) throw error;
  return error.message;
}
