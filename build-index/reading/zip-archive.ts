/**
 * Reads zip archives: entries are streamed in chunks, and size and CRC-32 are checked at the end of an entry. An
 * archive named "DE.zip" contains the text file "DE.txt", in any folder of the archive.
 */
import { closeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { INPUT_LIMITS, openInput } from './input-file.js';
import { ReleaseError } from './release-error.js';

/** "DE.txt" for "DE.zip"; the name of a text file stays. */
export function textNameOf(fileName: string): string {
  return fileName.replace(/\.zip$/, '.txt');
}

/** Whether an entry is the file of this name, in any folder of the archive. */
export function isNamed({ fileName }: Entry, name: string): boolean {
  return fileName.split('/').at(-1) === name;
}

/**
 * Opens an archive, passes it to `use` and closes it. Throws ReleaseError if it is not a regular file, too long, or has
 * too many entries; or what yauzl throws.
 */
export async function withZip<T>(path: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  const zip = await openZip(path);
  try {
    if (zip.entryCount > INPUT_LIMITS.zipEntries) {
      throw new ReleaseError(`${path}: has ${zip.entryCount} entries, of at most ${INPUT_LIMITS.zipEntries}`);
    }
    return await use(zip);
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  const { fd } = openInput(path, INPUT_LIMITS.zipBytes);
  try {
    return await fromFdPromise(fd, { lazyEntries: true, autoClose: false });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Calls `take` with each chunk of the entry's content, in order. Throws if the content does not match its CRC-32; yauzl
 * throws if the content is longer or shorter than the archive's directory says.
 */
export async function readContent(zip: ZipFile, entry: Entry, take: (chunk: Buffer) => void): Promise<void> {
  let checksum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(chunk as Buffer, checksum);
    take(chunk as Buffer);
  }
  if (checksum !== entry.crc32) throw new Error(`${entry.fileName} does not match its CRC-32`);
}
