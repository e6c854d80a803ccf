/**
 * Checks a zip archive: reads every entry, compares its CRC-32, and requires the text file for the builder. Discards
 * the unpacked bytes and limits their number, so that a zip bomb costs only the time for that many bytes.
 */
import type { ZipFile } from 'yauzl';
import { retryableError } from '../../src/transfer/retry.js';
import { isNamed, readContent, withZip } from '../reading/zip-archive.js';

export interface ZipLimits {
  /** Maximum unpacked length of all entries together, in bytes. */
  readonly maxTextBytes: number;
}

/** Throws DownloadError if the archive is damaged, or has no entry `textName` with content in any folder. */
export async function checkZip(path: string, textName: string, limits: ZipLimits): Promise<void> {
  try {
    await withZip(path, (zip) => checkEntries(zip, textName, limits));
  } catch (error) {
    throw retryableError(`not a sound zip archive: ${(error as Error).message}`);
  }
}

async function checkEntries(zip: ZipFile, textName: string, { maxTextBytes }: ZipLimits): Promise<void> {
  let [textBytes, hasText] = [0, false];
  for await (const entry of zip.eachEntry()) {
    textBytes += entry.uncompressedSize;
    if (textBytes > maxTextBytes) throw new Error(`it would unpack to more than ${maxTextBytes} bytes`);
    await readContent(zip, entry, () => {});
    hasText ||= isNamed(entry, textName) && entry.uncompressedSize > 0;
  }
  if (!hasText) throw new Error(`there is no ${textName} with content in it`);
}
