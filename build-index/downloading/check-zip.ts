/**
 * Whether a file is the zip archive that it should be: every entry is read through and its CRC-32 compared, and the
 * text file that the builder looks for is there. The unpacked bytes are not kept, and their number is limited, so an
 * archive made to explode costs the time for that number of bytes and no more.
 */
import type { ZipFile } from 'yauzl';
import { isNamed, readContent, withZip } from '../reading/zip-archive.js';
import { passingError } from './download-error.js';

export interface ZipLimits {
  /** Bytes of all entries together, unpacked. */
  readonly maxTextBytes: number;
}

/** Throws DownloadError where the archive is not sound, or holds no `textName`, in whatever folder of it, with content. */
export async function checkZip(path: string, textName: string, limits: ZipLimits): Promise<void> {
  try {
    await withZip(path, (zip) => checkEntries(zip, textName, limits));
  } catch (error) {
    throw passingError(`not a sound zip archive: ${(error as Error).message}`);
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
