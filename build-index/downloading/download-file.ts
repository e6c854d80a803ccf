/**
 * Downloads one zip file, or one text file. Skips an unchanged file, resumes an interrupted download, and gives the file
 * its name only when it is complete and a valid archive, so that a failure keeps the previous file. `.XX.zip.partial` beside it has
 * the bytes received so far.
 */

import { closeSync } from 'node:fs';
import { lutimes, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ZipFile } from 'yauzl';
import { createOwnFile, openOwnFile, syncFile, syncPath } from '../../src/base/own-file.js';
import {
  conditionalHeaders,
  type DownloadError,
  parseContentRange,
  parseLength,
  parseRetryAfter,
  permanentError,
  type ReceivedResponse,
  type RequestLimits,
  type RetryPolicy,
  rangeHeaders,
  request,
  retry,
  retryableError,
  sendable,
  strongValidator,
  type Validators,
  validatorsOf,
} from '../../src/base/requests.js';
import { replaceFile, writeWhole } from '../../src/releases/partial-file.js';
import { isNamed, readContent, readSmallInput, textNameOf, withZip } from '../reading/input-file.js';

/*
 * Checks a zip archive: reads every entry, compares its CRC-32, and requires the text file for the builder. Discards
 * the unpacked bytes and limits their number, so that a zip bomb costs only the time for that many bytes.
 */

export interface ZipLimits {
  /** Maximum unpacked length of all entries together, in bytes. */
  readonly maxTextBytes: number;
}

/** Throws DownloadError if the archive is damaged, or has no entry `textName` with content in any folder. */
export async function checkZip(path: string, textName: string, limits: ZipLimits): Promise<void> {
  try {
    await withZip(path, (zip) => checkEntries(zip, textName, limits));
  } catch (error) {
    throw retryableError(`not a sound zip archive: ${(error as Error).message}`);
  }
}

/** Maximum length of a table that is published as text, in bytes: that of first-level units has 0.16 MB. */
const MAX_TABLE_BYTES = 1e7;

/** The same for a text file. Throws DownloadError for what is no table, such as a page that says that the file is gone. */
function checkTable(path: string): void {
  try {
    if (!readSmallInput(path, MAX_TABLE_BYTES).includes('\t')) throw new Error('there is no column in it');
  } catch (error) {
    throw retryableError(`not a sound table: ${(error as Error).message}`);
  }
}

async function checkEntries(zip: ZipFile, textName: string, { maxTextBytes }: ZipLimits): Promise<void> {
  let [textBytes, hasText] = [0, false];
  for await (const entry of zip.eachEntry()) {
    textBytes += entry.uncompressedSize;
    if (textBytes > maxTextBytes) throw new Error(`it would unpack to more than ${maxTextBytes} bytes`);
    await readContent(zip, entry, () => {});
    hasText ||= isNamed(entry, textName) && entry.uncompressedSize > 0;
  }
  if (!hasText) throw new Error(`there is no ${textName} with content in it`);
}

/*
 * The record of a download folder: `.download.json` beside the files. It has the validators of each complete file, for
 * conditional requests, and of each partial file, to resume it. Every change replaces the record atomically; if it is
 * missing or damaged, files are fetched again.
 */

const RECORD_NAME = '.download.json';
/** Maximum length of the record, in bytes: 250 files have 0.2 MB of it. */
const MAX_RECORD_BYTES = 1e7;

interface WholeFile extends Validators {
  readonly bytes: number;
}

export interface PartialFile extends Validators {
  /** The value for If-Range; null if the server sent none, so that the download can't be resumed. */
  readonly strongValidator: string | null;
  /** Null if the server sent no length. */
  readonly totalBytes: number | null;
}

export interface FileRecord {
  /** The source of the complete and the partial file. */
  readonly url: string;
  readonly whole?: WholeFile | undefined;
  readonly partial?: PartialFile | undefined;
}

export class DownloadRecord {
  private readonly path: string;
  private readonly files: Map<string, FileRecord>;

  constructor(folder: string) {
    this.path = join(folder, RECORD_NAME);
    this.files = readRecords(this.path);
  }

  /** The record of a file from `url`; an empty record if the recorded file has a different source. */
  get(name: string, url: string): FileRecord {
    const known = this.files.get(name);
    return known?.url === url ? known : { url };
  }

  set(name: string, record: FileRecord): void {
    this.files.set(name, record);
    replaceFile(this.path, `${JSON.stringify({ files: Object.fromEntries(this.files) }, null, 2)}\n`);
  }
}

function readRecords(path: string): Map<string, FileRecord> {
  try {
    const { files } = JSON.parse(readSmallInput(path, MAX_RECORD_BYTES)) as { files: Record<string, FileRecord> };
    return new Map(Object.entries(files).map(([name, record]) => [name, parseRecord(record)]));
  } catch {
    return new Map();
  }
}

function parseRecord({ url, whole, partial }: FileRecord): FileRecord {
  return {
    url,
    whole: whole && { ...parseValidators(whole), bytes: whole.bytes },
    partial: partial && {
      ...parseValidators(partial),
      strongValidator: sendable(partial.strongValidator),
      totalBytes: typeof partial.totalBytes === 'number' ? partial.totalBytes : null,
    },
  };
}

function parseValidators({ etag, lastModified }: Validators): Validators {
  return { etag: sendable(etag), lastModified: sendable(lastModified) };
}

export interface DownloadLimits extends ZipLimits, RequestLimits {
  /** Maximum length of a downloaded file, in bytes. */
  readonly maxFileBytes: number;
}

export interface DownloadedFile {
  readonly status: 'fetched' | 'resumed' | 'unchanged';
  readonly bytes: number;
}

export class FileDownload {
  private readonly path: string;
  private readonly partialPath: string;
  private readonly textName: string;

  /**
   * `name` is "DE.zip", which contains "DE.txt", or a text file. `onBytes` gets the number of bytes received, and the total if known.
   */
  constructor(
    private readonly name: string,
    private readonly url: URL,
    folder: string,
    private readonly record: DownloadRecord,
    private readonly limits: DownloadLimits,
    private readonly onBytes: (bytes: number, totalBytes: number | null) => void,
  ) {
    this.path = join(folder, name);
    this.partialPath = join(folder, `.${name}.partial`);
    this.textName = textNameOf(name);
  }

  /** Throws DownloadError, or what the file system throws. */
  async run(retryPolicy: RetryPolicy): Promise<DownloadedFile> {
    const condition = await this.condition();
    return await retry(retryPolicy, () => this.attempt(condition));
  }

  private get known(): FileRecord {
    return this.record.get(this.name, this.url.href);
  }

  /** Headers for a conditional request, if the existing file is the recorded one and still valid; otherwise none. */
  private async condition(): Promise<Record<string, string>> {
    const { whole } = this.known;
    if (whole === undefined || (await sizeOf(this.path)) !== whole.bytes) return {};
    return await this.check(this.path).then(
      () => conditionalHeaders(whole),
      () => ({}),
    );
  }

  /** Throws DownloadError. */
  private async check(path: string): Promise<void> {
    if (this.name.endsWith('.zip')) await checkZip(path, this.textName, this.limits);
    else checkTable(path);
  }

  private async attempt(condition: Record<string, string>): Promise<DownloadedFile> {
    const { whole, partial } = this.known;
    const validator = partial?.strongValidator ?? null;
    const offset = validator === null ? 0 : await sizeOf(this.partialPath);
    const range = validator === null || offset === 0 ? {} : rangeHeaders(offset, validator);
    const response = await request(this.url, { ...condition, ...range }, this.limits);
    try {
      if (response.status === 304 && whole !== undefined && Object.keys(condition).length > 0) {
        await this.dropPartial();
        return { status: 'unchanged', bytes: whole.bytes };
      }
      if (response.status === 200) return await this.receiveAll(response);
      if (response.status === 206 && partial !== undefined && offset > 0) {
        return await this.receiveRest(response, partial, offset);
      }
      if (response.status === 416) await this.dropPartial();
      throw refusalOf(response);
    } finally {
      response.close();
    }
  }

  private async receiveAll(response: ReceivedResponse): Promise<DownloadedFile> {
    const partial: PartialFile = {
      ...validatorsOf(response.headers),
      strongValidator: strongValidator(response.headers),
      totalBytes: parseLength(response.headers.get('content-length')),
    };
    this.checkHeaders(response, partial.totalBytes);
    // The partial file is truncated before the record assigns it to this content.
    const fd = createOwnFile(this.partialPath, 0o666);
    this.record.set(this.name, { ...this.known, partial });
    const bytes = await this.append(fd, response, 0, partial.totalBytes);
    return { status: 'fetched', bytes: await this.publish(partial, bytes) };
  }

  private async receiveRest(response: ReceivedResponse, partial: PartialFile, offset: number): Promise<DownloadedFile> {
    const range = parseContentRange(response.headers.get('content-range'));
    const validator = strongValidator(response.headers);
    const isTheRest =
      range?.start === offset &&
      (partial.totalBytes === null || range.total === partial.totalBytes) &&
      (validator === null || validator === partial.strongValidator);
    if (!isTheRest) {
      await this.dropPartial();
      throw retryableError(`sent a different part than the one from byte ${offset}`);
    }
    this.checkHeaders(response, range.total);
    const fd = openOwnFile(this.partialPath);
    if (fd === undefined) {
      await this.dropPartial();
      throw retryableError('was being written to a file that somebody replaced');
    }
    const bytes = await this.append(fd, response, offset, range.total);
    return { status: 'resumed', bytes: await this.publish(partial, bytes) };
  }

  private checkHeaders(response: ReceivedResponse, totalBytes: number | null): void {
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw retryableError(`sent it encoded as ${encoding}, which was not asked for`);
    if (totalBytes !== null && totalBytes > this.limits.maxFileBytes) throw tooLarge(this.limits);
  }

  /**
   * Appends the body to the `offset` bytes of the partial file `fd`, and closes it. Returns the size of the whole file.
   */
  private async append(
    fd: number,
    response: ReceivedResponse,
    offset: number,
    totalBytes: number | null,
  ): Promise<number> {
    let bytes = offset;
    try {
      for await (const chunk of response.chunks()) {
        bytes += chunk.length;
        if (bytes > (totalBytes ?? this.limits.maxFileBytes)) break;
        writeWhole(fd, chunk, bytes - chunk.length);
        this.onBytes(bytes, totalBytes);
      }
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
    if (totalBytes !== null && bytes < totalBytes) throw retryableError(`ended after ${bytes} of ${totalBytes} bytes`);
    if (bytes <= (totalBytes ?? this.limits.maxFileBytes)) return bytes;
    await this.dropPartial();
    throw totalBytes === null ? tooLarge(this.limits) : retryableError(`sent more than ${totalBytes} bytes`);
  }

  /** Renames the partial file to its final name if it is valid; otherwise removes it. */
  private async publish({ etag, lastModified }: PartialFile, bytes: number): Promise<number> {
    try {
      await this.check(this.partialPath);
    } catch (error) {
      await this.dropPartial();
      throw error;
    }
    const modified = Date.parse(lastModified ?? '') / 1000;
    if (!Number.isNaN(modified)) await lutimes(this.partialPath, modified, modified);
    await rename(this.partialPath, this.path);
    syncPath(dirname(this.path));
    this.record.set(this.name, { url: this.url.href, whole: { etag, lastModified, bytes } });
    return bytes;
  }

  private async dropPartial(): Promise<void> {
    await rm(this.partialPath, { force: true });
    const { partial, ...rest } = this.known;
    if (partial !== undefined) this.record.set(this.name, rest);
  }
}

/** The 4xx status codes after which a retry may succeed. */
const RETRYABLE_STATUSES = [408, 416, 425, 429];

function refusalOf({ status, headers }: ReceivedResponse): DownloadError {
  if (status === 404 || status === 410) return permanentError(`the server has no such file (${status})`);
  const message = `the server answers with status ${status}`;
  if (status >= 400 && status < 500 && !RETRYABLE_STATUSES.includes(status)) return permanentError(message);
  return retryableError(message, parseRetryAfter(headers.get('retry-after'), Date.now()));
}

function tooLarge({ maxFileBytes }: DownloadLimits): DownloadError {
  return permanentError(`is larger than ${maxFileBytes} bytes`);
}

/** The file's length in bytes; 0 if there is no such file. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
