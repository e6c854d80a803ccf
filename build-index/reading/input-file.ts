/**
 * Opens the files that a build reads, plain or in a zip archive, and limits their size. Only regular files are read: a named pipe, a device or a
 * socket could block a build or feed it for ever, so it is refused before a read. The check uses the open descriptor,
 * so that nobody can replace the file between check and read.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { ExpectedError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { MAX_LINE_LENGTH } from './row.js';

/** Why a release, or a file of the release, can't be built from. A bad row is no error: see row.ts. */
export class ReleaseError extends ExpectedError {
  override readonly name = 'ReleaseError';
}

/** Several times the sizes that GeoNames publishes in 2026, so that a release may grow for years. */
export const INPUT_LIMITS = {
  /** Maximum length of a zip archive, in bytes: the longest, alternateNamesV2.zip, has 0.2 GB. */
  zipBytes: 1e9,
  /** Maximum number of entries of a zip archive: GeoNames' have a table or two and a readme. */
  zipEntries: 100,
  /** Maximum length of a table, unpacked, in bytes: the longest, alternateNamesV2.txt, has 0.75 GB. */
  textBytes: 2e9,
  /**
   * Maximum length of all postal tables together, unpacked, in bytes: 0.6 GB fill the longest snapshot there can be.
   */
  releaseTextBytes: 1e9,
  /** Maximum length of countryInfo.txt, in bytes: it has 31 kB. */
  countryInfoBytes: 1e6,
} as const;

export interface OpenInput {
  readonly fd: number;
  readonly bytes: number;
}

/** Keeps the opening of a named pipe without a writer from blocking. Windows has neither the flag nor such pipes. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Throws ReleaseError if the path is not a regular file, or what node:fs throws. */
export function openRegularFile(path: string): OpenInput {
  const fd = openSync(path, READ_AT_ONCE);
  const info = fstatSync(fd);
  if (info.isFile()) return { fd, bytes: info.size };
  closeSync(fd);
  throw new ReleaseError(`${path}: cannot be read: it is no regular file`);
}

/** Opens a regular file of at most `maxBytes` bytes. Throws ReleaseError; its cause is the error of node:fs. */
export function openInput(path: string, maxBytes: number): OpenInput {
  const input = openReadable(path);
  if (input.bytes <= maxBytes) return input;
  closeSync(input.fd);
  throw tooLarge(path, input.bytes, maxBytes);
}

function openReadable(path: string): OpenInput {
  try {
    return openRegularFile(path);
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadable(path, error);
  }
}

/** The text of a regular file of at most `maxBytes` bytes. Throws ReleaseError, as openInput does. */
export function readSmallInput(path: string, maxBytes: number): string {
  const { fd } = openInput(path, maxBytes);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** The length of a regular file of at most `maxBytes` bytes. Throws ReleaseError, as openInput does. */
export function measureInput(path: string, maxBytes: number): number {
  const { fd, bytes } = openInput(path, maxBytes);
  closeSync(fd);
  return bytes;
}

export function unreadable(path: string, error: unknown): ReleaseError {
  // A message about a zip archive may contain the name of an entry, which may be hostile.
  return new ReleaseError(`${path}: cannot be read: ${escapeUnprintable((error as Error).message)}`, { cause: error });
}

/** `what` is a path or another description of the input. */
export function tooLarge(what: string, bytes: number, maxBytes: number): ReleaseError {
  return new ReleaseError(`${what}: too large to be read: ${bytes} bytes, of at most ${maxBytes}`);
}

/*
 * Splits chunks of bytes into lines, numbered from 1, without line ends, blank lines and the byte order mark of the
 * first line. A line longer than any row is truncated, so that a file with one endless line costs no memory.
 */

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export class LineSplitter {
  /** The parts of the current line in earlier chunks. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private lineNumber = 0;
  private readonly maxKeptBytes: number;

  /**
   * `take` gets a view of a chunk or, for a line across chunks, a copy. `maxLineLength` is the maximum length of a row,
   * in UTF-16 units.
   */
  constructor(
    private readonly take: (line: Buffer, lineNumber: number) => void,
    maxLineLength = MAX_LINE_LENGTH,
  ) {
    // A UTF-16 unit has at most three bytes in UTF-8, so a truncated line is still longer than `maxLineLength`.
    this.maxKeptBytes = 3 * maxLineLength + 3;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.endLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length || this.restBytes > this.maxKeptBytes) return;
    this.rest.push(Buffer.from(chunk.subarray(start, start + this.maxKeptBytes + 1)));
    this.restBytes += chunk.length - start;
  }

  /** To be called once, after the last chunk. */
  end(): void {
    this.endLine(Buffer.alloc(0));
  }

  private endLine(last: Buffer): void {
    const line = this.rest.length === 0 ? last : Buffer.concat([...this.rest, last]);
    this.rest = [];
    this.restBytes = 0;
    this.lineNumber++;
    const isMarked = this.lineNumber === 1 && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const start = isMarked ? BYTE_ORDER_MARK.length : 0;
    const end = line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > start) this.take(line.subarray(start, end), this.lineNumber);
  }
}

/*
 * Reads zip archives: entries are streamed in chunks, and size and CRC-32 are checked at the end of an entry. An
 * archive named "DE.zip" contains the text file "DE.txt", in any folder of the archive.
 */

/** "DE.txt" for "DE.zip", "GB_full.txt" for "GB_full.csv.zip"; the name of a text file stays. */
export function textNameOf(fileName: string): string {
  return fileName.replace(/(?:\.csv)?\.zip$/, '.txt');
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

/*
 * Reads the entry of a zip archive that contains the rows. A damaged archive ends the build with an error, so that no
 * country lacks its last rows.
 */

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
