/** Unpacking one entry of a zip archive, in chunks, against its checksum. */
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';

/**
 * Calls `take` with each chunk of the entry's content, in order. Throws where the content does not match its CRC-32;
 * yauzl does where it is longer or shorter than the directory says.
 */
export async function readContent(zip: ZipFile, entry: Entry, take: (chunk: Buffer) => void): Promise<void> {
  let checksum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(chunk as Buffer, checksum);
    take(chunk as Buffer);
  }
  if (checksum !== entry.crc32) throw new Error(`${entry.fileName} does not match its CRC-32`);
}
