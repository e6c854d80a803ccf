/**
 * The entry of a zip archive that holds the rows. A damaged archive ends the build with a clear error: without one the
 * country would lack its last rows.
 */
import type { Entry, ZipFile } from 'yauzl';
import { ReleaseError } from './release-error.js';
import { isNamed, readContent, withZip } from './zip-archive.js';

/**
 * The date of the entry named `fileName`, "YYYY-MM-DD" as the archive has it; null where the archive has no valid date.
 * Throws ReleaseError where there is no such entry.
 */
export async function dateOfZipEntry(zipPath: string, fileName: string): Promise<string | null> {
  return await withEntry(zipPath, fileName, async (_, entry) => dosDate(entry.lastModFileDate));
}

/** Calls `take` with each chunk of the entry's content, in order. Throws ReleaseError. */
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
        if (isNamed(entry, fileName)) return await use(zip, entry);
      }
      throw new ReleaseError(`${zipPath}: holds no ${fileName}; a zip must have the name of the table in it`);
    });
  } catch (error) {
    if (error instanceof ReleaseError) throw error;
    throw new ReleaseError(`${zipPath}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** MS-DOS dates: 7 bits of years since 1980, 4 of the month, 5 of the day; no time zone. */
function dosDate(date: number): string | null {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  if (month < 1 || month > 12 || day < 1) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
