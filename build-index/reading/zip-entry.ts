/**
 * Reads the entry of a zip archive that contains the rows. A damaged archive ends the build with an error, so that no
 * country lacks its last rows.
 */
import type { Entry, ZipFile } from 'yauzl';
import { INPUT_LIMITS, tooLarge, unreadable } from './input-file.js';
import { ReleaseError } from './release-error.js';
import { isNamed, readContent, withZip } from './zip-archive.js';

interface EntryFacts {
  /** "YYYY-MM-DD" in the archive; null if the archive has no valid date. */
  readonly date: string | null;
  /** The length of the unpacked content in the archive's directory; readZipEntry throws if the content differs. */
  readonly bytes: number;
}

/** Throws ReleaseError if no entry is named `fileName`, or if its content is too long. */
export async function lookUpZipEntry(zipPath: string, fileName: string): Promise<EntryFacts> {
  return await withEntry(zipPath, fileName, async (_, entry) => ({
    date: dosDate(entry.lastModFileDate),
    bytes: entry.uncompressedSize,
  }));
}

/**
 * Calls `take` with each chunk of the entry's content, in order. Throws ReleaseError, also as soon as the content gets
 * longer than the archive's directory says.
 */
export async function readZipEntry(zipPath: string, fileName: string, take: (chunk: Buffer) => void): Promise<void> {
  await withEntry(zipPath, fileName, (zip, entry) => readContent(zip, entry, take));
}

async function withEntry<T>(
  zipPath: string,
  fileName: string,
  use: (zip: ZipFile, entry: Entry) => Promise<T>,
): Promise<T> {
  try {
    return await withZip(zipPath, async (zip) => {
      for await (const entry of zip.eachEntry()) {
        if (!isNamed(entry, fileName)) continue;
        const { uncompressedSize } = entry;
        if (uncompressedSize > INPUT_LIMITS.textBytes) {
          throw tooLarge(`${zipPath}: ${fileName}`, uncompressedSize, INPUT_LIMITS.textBytes);
        }
        return await use(zip, entry);
      }
      throw new ReleaseError(`${zipPath}: holds no ${fileName}; a zip must have the name of the table in it`);
    });
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadable(zipPath, error);
  }
}

/** MS-DOS dates: 7 bits of years since 1980, 4 of the month, 5 of the day; no time zone. */
function dosDate(date: number): string | null {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  if (month < 1 || month > 12 || day < 1) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
