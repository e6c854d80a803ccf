/**
 * Downloads one zip file. An unchanged file is not fetched again, an interrupted download goes on where it stopped, and
 * the file takes its name only when it is whole and a sound archive: whatever goes wrong, the file that was there
 * stays. The bytes that have come so far lie beside it in `.XX.zip.partial`.
 */
import { open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncPath } from '../../src/platform/sync-path.js';
import { textNameOf } from '../reading/zip-archive.js';
import { checkZip, type ZipLimits } from './check-zip.js';
import { type DownloadError, finalError, passingError } from './download-error.js';
import type { DownloadRecord, FileRecord, PartialFile } from './download-record.js';
import {
  conditionalHeaders,
  parseContentRange,
  parseLength,
  parseRetryAfter,
  rangeHeaders,
  strongValidator,
  validatorsOf,
} from './http-headers.js';
import { type Answer, type RequestLimits, request } from './request.js';
import { type Retrying, tryRepeatedly } from './retrying.js';

export interface DownloadLimits extends ZipLimits, RequestLimits {
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
   * `name` is "DE.zip", which holds "DE.txt". `onBytes` hears how many bytes are there, and of how many, where known.
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
  async run(retrying: Retrying): Promise<DownloadedFile> {
    const condition = await this.condition();
    return await tryRepeatedly(retrying, () => this.attempt(condition));
  }

  private get known(): FileRecord {
    return this.record.get(this.name, this.url.href);
  }

  /** Headers that ask for a changed file only, where the file that is there is the one on record and still sound. */
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
    const answer = await request(this.url, { ...condition, ...range }, this.limits);
    try {
      if (answer.status === 304 && whole !== undefined && Object.keys(condition).length > 0) {
        await this.dropPartial();
        return { status: 'unchanged', bytes: whole.bytes };
      }
      if (answer.status === 200) return await this.receiveAll(answer);
      if (answer.status === 206 && partial !== undefined && offset > 0) {
        return await this.receiveRest(answer, partial, offset);
      }
      if (answer.status === 416) await this.dropPartial();
      throw refusalOf(answer);
    } finally {
      answer.close();
    }
  }

  private async receiveAll(answer: Answer): Promise<DownloadedFile> {
    const partial: PartialFile = {
      ...validatorsOf(answer.headers),
      strongValidator: strongValidator(answer.headers),
      totalBytes: parseLength(answer.headers.get('content-length')),
    };
    this.checkHeaders(answer, partial.totalBytes);
    // The partial file is emptied before the record says that it is the beginning of this content.
    await writeFile(this.partialPath, '');
    this.record.set(this.name, { ...this.known, partial });
    const bytes = await this.append(answer, 0, partial.totalBytes);
    return { status: 'fetched', bytes: await this.publish(partial, bytes) };
  }

  private async receiveRest(answer: Answer, partial: PartialFile, offset: number): Promise<DownloadedFile> {
    const range = parseContentRange(answer.headers.get('content-range'));
    const validator = strongValidator(answer.headers);
    const isTheRest =
      range?.start === offset &&
      (partial.totalBytes === null || range.total === partial.totalBytes) &&
      (validator === null || validator === partial.strongValidator);
    if (!isTheRest) {
      await this.dropPartial();
      throw passingError(`sent another part than the one from byte ${offset} on`);
    }
    this.checkHeaders(answer, range.total);
    const bytes = await this.append(answer, offset, range.total);
    return { status: 'resumed', bytes: await this.publish(partial, bytes) };
  }

  private checkHeaders(answer: Answer, totalBytes: number | null): void {
    const encoding = answer.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw passingError(`sent it encoded as ${encoding}, which was not asked for`);
    if (totalBytes !== null && totalBytes > this.limits.maxFileBytes) throw tooLarge(this.limits);
  }

  /** Appends the body to the `offset` bytes of the partial file. Returns the size of the whole file. */
  private async append(answer: Answer, offset: number, totalBytes: number | null): Promise<number> {
    let bytes = offset;
    const file = await open(this.partialPath, 'a');
    try {
      for await (const chunk of answer.chunks()) {
        bytes += chunk.length;
        if (bytes > (totalBytes ?? this.limits.maxFileBytes)) break;
        await file.appendFile(chunk);
        this.onBytes(bytes, totalBytes);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (totalBytes !== null && bytes < totalBytes) throw passingError(`ended after ${bytes} of ${totalBytes} bytes`);
    if (bytes <= (totalBytes ?? this.limits.maxFileBytes)) return bytes;
    await this.dropPartial();
    throw totalBytes === null ? tooLarge(this.limits) : passingError(`sent more than ${totalBytes} bytes`);
  }

  /** Gives the partial file its final name where it is a sound archive, and drops it otherwise. */
  private async publish({ etag, lastModified }: PartialFile, bytes: number): Promise<number> {
    try {
      await checkZip(this.partialPath, this.textName, this.limits);
    } catch (error) {
      await this.dropPartial();
      throw error;
    }
    const modified = Date.parse(lastModified ?? '') / 1000;
    if (!Number.isNaN(modified)) await utimes(this.partialPath, modified, modified);
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

const WORTH_ANOTHER_TRY = [408, 416, 425, 429];

function refusalOf({ status, headers }: Answer): DownloadError {
  if (status === 404 || status === 410) return finalError(`the server has no such file (${status})`);
  const message = `the server answers with status ${status}`;
  if (status >= 400 && status < 500 && !WORTH_ANOTHER_TRY.includes(status)) return finalError(message);
  return passingError(message, parseRetryAfter(headers.get('retry-after'), Date.now()));
}

function tooLarge({ maxFileBytes }: DownloadLimits): DownloadError {
  return finalError(`is larger than ${maxFileBytes} bytes`);
}

/** 0 where there is no such file. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
