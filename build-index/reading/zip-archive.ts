/**
 * Reads zip archives: entries are streamed in chunks, and size and CRC-32 are checked at the end of an entry. An
 * archive named "DE.zip" contains the text file "DE.txt", in any folder of the archive.
 */

import { closeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { INPUT_LIMITS, openInput, tooLargeInput, unreadableInput } from './input-file.js';
import { ReleaseError } from './release-error.js';

/** "DE.txt" for "DE.zip", "GB_full.txt" for "GB_full.csv.zip"; the name of a text file stays. */
export function textNameOfZip(fileName: string): string {
  return fileName.replace(/(?:\.csv)?\.zip$/, '.txt');
}

/** The name of a file without its folder in the archive. */
function baseNameOf({ fileName }: Entry): string {
  return fileName.split('/').at(-1) as string;
}

/** Whether an entry is the file of this name, in any folder of the archive. */
export function isZipEntryNamed(entry: Entry, name: string): boolean {
  return baseNameOf(entry) === name;
}

/** Opens an archive, passes it to `use` and closes it. */
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

/** Calls `take` with each chunk of the entry's content, in order. yauzl checks the length, this function the CRC-32. */
export async function readZipContent(zip: ZipFile, entry: Entry, take: (chunk: Buffer) => void): Promise<void> {
  let checksum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(chunk as Buffer, checksum);
    take(chunk as Buffer);
  }
  if (checksum !== entry.crc32) throw new Error(`${entry.fileName} does not match its CRC-32`);
}

interface EntryFacts {
  /** Without its folder in the archive. */
  readonly name: string;
  /** "YYYY-MM-DD" in the archive; null if the archive has no valid date. */
  readonly date: string | null;
  /** The length of the unpacked content in the archive's directory; readZipEntry throws if the content differs. */
  readonly bytes: number;
}

/** The files of an archive, `fileName` first. */
export async function listZipEntries(zipPath: string, fileName: string): Promise<[EntryFacts, ...EntryFacts[]]> {
  return await withEntries(zipPath, fileName, async (_, entry, others) => {
    const [first, ...rest] = [entry, ...others].map((entry) => ({
      name: baseNameOf(entry),
      date: dosDate(entry.lastModFileDate),
      bytes: entry.uncompressedSize,
    }));
    return [first as EntryFacts, ...rest];
  });
}

/** Calls `take` with each chunk of the entry's content, in order. */
export async function readZipEntry(zipPath: string, fileName: string, take: (chunk: Buffer) => void): Promise<void> {
  await withEntries(zipPath, fileName, (zip, entry) => readZipContent(zip, entry, take));
}

/** Calls `use` with the first entry of a name, and the other entries. */
async function withEntries<T>(
  zipPath: string,
  fileName: string,
  use: (zip: ZipFile, entry: Entry, others: readonly Entry[]) => Promise<T>,
): Promise<T> {
  try {
    return await withZip(zipPath, async (zip) => {
      const entries: Entry[] = [];
      for await (const entry of zip.eachEntry()) entries.push(entry);
      const entry = entries.find((entry) => isZipEntryNamed(entry, fileName));
      if (entry === undefined) {
        throw new ReleaseError(`${zipPath}: holds no ${fileName}; a zip must have the name of the table in it`);
      }
      const { uncompressedSize } = entry;
      if (uncompressedSize > INPUT_LIMITS.textBytes) {
        throw tooLargeInput(`${zipPath}: ${fileName}`, uncompressedSize, INPUT_LIMITS.textBytes);
      }
      return await use(
        zip,
        entry,
        entries.filter((other) => other !== entry),
      );
    });
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadableInput(zipPath, error);
  }
}

/** MS-DOS dates: 7 bits of years since 1980, 4 of the month, 5 of the day; no time zone. */
function dosDate(date: number): string | null {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  if (month < 1 || month > 12 || day < 1) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
