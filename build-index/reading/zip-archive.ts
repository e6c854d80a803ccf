/**
 * Reading zip archives: entries are streamed in chunks, and size and CRC-32 are checked where an entry's content ends.
 * An archive named "DE.zip" is for one text file, "DE.txt", in whatever folder of the archive that is.
 */
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** "DE.txt" for "DE.zip"; the name of a text file stays. */
export function textNameOf(fileName: string): string {
  return fileName.replace(/\.zip$/, '.txt');
}

/** Whether an entry is the file of this name, in whatever folder of the archive. */
export function isNamed({ fileName }: Entry, name: string): boolean {
  return fileName.split('/').at(-1) === name;
}

/** Opens an archive, hands it to `use` and closes it. Throws what yauzl throws. */
export async function withZip<T>(path: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    return await use(zip);
  } finally {
    zip.close();
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
