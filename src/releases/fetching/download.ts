/**
 * Downloads a file of a host into an open file, over as many requests as it takes: what broke off, in this run or in an
 * earlier one, goes on where it stopped, if the host still has the same content; otherwise it begins anew. Limits and
 * retries are those of src/base/requests.ts. This is the only download; pulls and `download` differ in what they know of
 * a file before.
 */

import { fstatSync, ftruncateSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import {
  parseContentRange,
  parseLength,
  rangeHeaders,
  strongValidator,
  type Validators,
  validatorsOf,
} from '../../base/conditional-requests.js';
import { writeWhole } from '../../base/durable-files.js';
import { chunksOf, type RequestLimits, request, requestRefusalOf } from '../../base/requests.js';
import { permanentError, type RetryOptions, retry, retryableError } from '../../base/retry.js';

/** What a host said of the content of a file. */
export interface Content extends Validators {
  /** The value for If-Range; null if the host sent none, so that a download can't be continued. */
  readonly validator: string | null;
  /** Null if the host sent no length. */
  readonly bytes: number | null;
}

export interface DownloadJob extends RequestLimits, RetryOptions {
  readonly url: URL;
  /** The open file. Its present bytes are the start of the file, where that has a `length` or a `content`. */
  readonly fd: number;
  /** The length of a file that never changes, and whose bytes the caller can check. */
  readonly length?: number;
  /** Maximum length of any other file. */
  readonly maxBytes: number;
  /** The content whose start the open file has. */
  readonly content?: Content | undefined;
  /** Told of another content before any of its bytes is written; undefined where there is nothing to go on with. */
  readonly onContent?: (content: Content | undefined) => void;
  /** Headers under which the host may answer that nothing has changed. */
  readonly condition?: Readonly<Record<string, string>>;
  /** Throws DownloadError where a whole file is not what was asked for: then it is asked for again. */
  readonly check?: () => Promise<void>;
  /** The number of bytes that are there of the file, and its length if the host tells it. */
  readonly onBytes?: ((bytes: number, totalBytes: number | null) => void) | undefined;
}

export type DownloadOutcome = 'fetched' | 'resumed' | 'unchanged';

export async function download(job: DownloadJob): Promise<DownloadOutcome> {
  if (job.length !== undefined && fstatSync(job.fd).size === job.length) return 'resumed';
  const attempts = new Attempts(job);
  return await retry(job, () => attempts.next());
}

class Attempts {
  #content: Content | undefined;

  constructor(private readonly job: DownloadJob) {
    this.#content = job.content;
  }

  async next(): Promise<DownloadOutcome> {
    const { url, fd, length, condition = {} } = this.job;
    const validator = this.#content?.validator ?? null;
    const offset = length === undefined && validator === null ? 0 : fstatSync(fd).size;
    const range = offset === 0 ? {} : rangeHeaders(offset, validator);
    const response = await request(url, { ...condition, ...range }, this.job);
    try {
      if (response.statusCode === 304 && Object.keys(condition).length > 0) return 'unchanged';
      const start = this.#startOf(response, offset);
      await this.#receive(response, start);
      await this.#check();
      return start === 0 ? 'fetched' : 'resumed';
    } finally {
      response.destroy();
    }
  }

  async #check(): Promise<void> {
    try {
      await this.job.check?.();
    } catch (error) {
      this.#begin(undefined);
      throw error;
    }
  }

  /** The position in the file at which the body begins; the open file has what is before it. */
  #startOf(response: IncomingMessage, offset: number): number {
    const { statusCode: status, headers } = response;
    if (status === 206 && offset > 0) {
      const range = parseContentRange(headers['content-range']);
      const validator = strongValidator(headers);
      const isTheRest =
        range?.start === offset &&
        range.total === (this.#totalBytes ?? range.total) &&
        (validator === null || validator === (this.#content?.validator ?? validator));
      if (isTheRest) return offset;
      this.#begin(undefined);
      throw retryableError(`sent another part than that from byte ${offset}`);
    }
    if (status !== 200) {
      if (status === 416) this.#begin(undefined);
      throw requestRefusalOf(response);
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw retryableError(`sent it encoded as ${encoding}, which was not asked for`);
    const bytes = this.job.length ?? parseLength(headers['content-length']);
    if ((bytes ?? 0) > this.job.maxBytes) throw this.#tooLong();
    this.#begin({ ...validatorsOf(headers), validator: strongValidator(headers), bytes });
    return 0;
  }

  /** Empties the file for another content, or for one that is not known yet. */
  #begin(content: Content | undefined): void {
    ftruncateSync(this.job.fd, 0);
    this.#content = content;
    this.job.onContent?.(content);
  }

  get #totalBytes(): number | null {
    return this.#content?.bytes ?? this.job.length ?? null;
  }

  #tooLong(): Error {
    return permanentError(`is longer than ${this.job.maxBytes} bytes`);
  }

  async #receive(response: IncomingMessage, start: number): Promise<void> {
    const { fd, maxBytes, onBytes } = this.job;
    const total = this.#totalBytes;
    let bytes = start;
    onBytes?.(bytes, total);
    for await (const chunk of chunksOf(response, this.job)) {
      if (bytes + chunk.length > (total ?? maxBytes)) {
        this.#begin(undefined);
        throw total === null ? this.#tooLong() : retryableError(`sent more than ${total} bytes`);
      }
      writeWhole(fd, chunk, bytes);
      bytes += chunk.length;
      onBytes?.(bytes, total);
    }
    if (total !== null && bytes < total) throw retryableError(`ended after ${bytes} of ${total} bytes`);
  }
}
