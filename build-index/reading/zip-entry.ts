/**
 * Reads one entry of a zip file as a stream of byte chunks. Size and CRC-32 are checked when the stream ends, so a
 * damaged archive ends the build with a clear error instead of a country that lacks its last rows.
 */
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { readContent } from '../zip-content.js';
import { ReleaseError } from './release-error.js';

export interface ZipEntryInfo {
  readonly fileName: string;
  /** "YYYY-MM-DD" as the archive has it, or null where the archive has no valid date. */
  readonly modifiedDate: string | null;
  readonly byteLength: number;
}

/** What the entry named `fileName` (in whatever folder of the archive) is; throws ReleaseError where there is none. */
export async function findZipEntry(zipPath: string, fileName: string): Promise<ZipEntryInfo> {
  return await withEntry(zipPath, fileName, async (_, entry) => ({
    fileName: entry.fileName,
    modifiedDate: dosDate(entry.lastModFileDate),
    byteLength: entry.uncompressedSize,
  }));
}

/** Calls `take` with each chunk of the entry's content, in order. */
export async function readZipEntry(zipPath: string, fileName: string, take: (chunk: Buffer) => void): Promise<void> {
  await withEntry(zipPath, fileName, (zip, entry) => readContent(zip, entry, take));
}

async function withEntry<T>(
  zipPath: string,
  fileName: string,
  use: (zip: ZipFile, entry: Entry) => Promise<T>,
): Promise<T> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(zipPath, { lazyEntries: true, autoClose: false });
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.split('/').at(-1) === fileName) return await use(zip, entry);
    }
  } catch (error) {
    if (error instanceof ReleaseError) throw error;
    throw new ReleaseError(`${zipPath}: cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    zip?.close();
  }
  throw new ReleaseError(`${zipPath}: holds no ${fileName}`);
}

/** MS-DOS dates: 7 bits of years since 1980, 4 of the month, 5 of the day; no time zone. */
function dosDate(date: number): string | null {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  if (month < 1 || month > 12 || day < 1) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
