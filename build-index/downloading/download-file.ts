/**
 * Downloads one zip file. Skips an unchanged file, resumes an interrupted download, and gives the file its name only
 * when it is complete and a valid archive, so that a failure keeps the previous file. `.XX.zip.partial` beside it has
 * the bytes received so far.
 */
import { closeSync, fsync } from 'node:fs';
import { lutimes, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createOwnFile, openOwnFile } from '../../src/platform/own-file.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { writeWhole } from '../../src/publishing/replace-file.js';
import {
  conditionalHeaders,
  parseContentRange,
  parseLength,
  parseRetryAfter,
  rangeHeaders,
  strongValidator,
  validatorsOf,
} from '../../src/transfer/http-headers.js';
import { type ReceivedResponse, type RequestLimits, request } from '../../src/transfer/request.js';
import {
  type DownloadError,
  permanentError,
  type RetryPolicy,
  retry,
  retryableError,
} from '../../src/transfer/retry.js';
import { textNameOf } from '../reading/zip-archive.js';
import { checkZip, type ZipLimits } from './check-zip.js';
import type { DownloadRecord, FileRecord, PartialFile } from './download-record.js';

const sync = promisify(fsync);

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
   * `name` is "DE.zip", which contains "DE.txt". `onBytes` gets the number of bytes received, and the total if known.
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
    return await checkZip(this.path, this.textName, this.limits).then(
      () => conditionalHeaders(whole),
      () => ({}),
    );
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
      await sync(fd);
    } finally {
      closeSync(fd);
    }
    if (totalBytes !== null && bytes < totalBytes) throw retryableError(`ended after ${bytes} of ${totalBytes} bytes`);
    if (bytes <= (totalBytes ?? this.limits.maxFileBytes)) return bytes;
    await this.dropPartial();
    throw totalBytes === null ? tooLarge(this.limits) : retryableError(`sent more than ${totalBytes} bytes`);
  }

  /** Renames the partial file to its final name if it is a valid archive; otherwise removes it. */
  private async publish({ etag, lastModified }: PartialFile, bytes: number): Promise<number> {
    try {
      await checkZip(this.partialPath, this.textName, this.limits);
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
