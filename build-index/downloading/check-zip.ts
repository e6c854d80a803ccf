/**
 * Whether a file is the zip archive it should be: every entry is read through and its CRC-32 compared, and the text file
 * that the builder looks for is there. What is unpacked goes nowhere and is limited, so an archive made to explode only
 * costs the limit's time.
 */
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
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
      await checkEntry(zip, entry);
      hasText ||= entry.fileName.split('/').at(-1) === textName && entry.uncompressedSize > 0;
    }
    if (!hasText) throw new Error(`there is no ${textName} with content in it`);
  } catch (error) {
    throw passingError(`not a sound zip archive: ${(error as Error).message}`);
  } finally {
    zip?.close();
  }
}

/** yauzl ends the stream with an error where it is longer or shorter than the directory says. */
async function checkEntry(zip: ZipFile, entry: Entry): Promise<void> {
  let checksum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) checksum = crc32(chunk as Buffer, checksum);
  if (checksum !== entry.crc32) throw new Error(`${entry.fileName} does not match its CRC-32`);
}
