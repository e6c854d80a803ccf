/**
 * Whether a file is the zip archive it should be: every entry is read through and its CRC-32 compared, and the text file
 * that the builder looks for is there. What is unpacked goes nowhere and is limited, so an archive made to explode only
 * costs the limit's time.
 */
import { openPromise, type ZipFile } from 'yauzl';
import { readContent } from '../zip-content.js';
import { passingError } from './download-error.js';

export interface ZipLimits {
  /** Of all entries together, unpacked. */
  readonly maxTextBytes: number;
  readonly maxEntries: number;
}

/** Throws DownloadError where the archive is not sound, or holds no `textName`, in whatever folder of it, with content. */
export async function checkZip(path: string, textName: string, limits: ZipLimits): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > limits.maxEntries) throw new Error(`it has ${zip.entryCount} entries`);
    let [textBytes, hasText] = [0, false];
    for await (const entry of zip.eachEntry()) {
      textBytes += entry.uncompressedSize;
      if (textBytes > limits.maxTextBytes) throw new Error(`it would unpack to more than ${limits.maxTextBytes} bytes`);
      await readContent(zip, entry, () => {});
      hasText ||= entry.fileName.split('/').at(-1) === textName && entry.uncompressedSize > 0;
    }
    if (!hasText) throw new Error(`there is no ${textName} with content in it`);
  } catch (error) {
    throw passingError(`not a sound zip archive: ${(error as Error).message}`);
  } finally {
    zip?.close();
  }
}
