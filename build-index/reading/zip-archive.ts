/**
 * Reading zip archives: entries are streamed in chunks, and size and CRC-32 are checked where an entry's content ends.
 * An archive named "DE.zip" is for one text file, "DE.txt", in whatever folder of the archive that is.
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

/** Whether an entry is the file of this name, in whatever folder of the archive. */
export function isNamed({ fileName }: Entry, name: string): boolean {
  return fileName.split('/').at(-1) === name;
}

/**
 * Opens an archive, hands it to `use` and closes it. Throws ReleaseError where it is no regular file, too long, or has too
 * many entries, and what yauzl throws.
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
 * Calls `take` with each chunk of the entry's content, in order. Throws where the content does not match its CRC-32;
 * yauzl throws where the content is longer or shorter than the directory says.
 */
export async function readContent(zip: ZipFile, entry: Entry, take: (chunk: Buffer) => void): Promise<void> {
  let checksum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(chunk as Buffer, checksum);
    take(chunk as Buffer);
  }
  if (checksum !== entry.crc32) throw new Error(`${entry.fileName} does not match its CRC-32`);
}
