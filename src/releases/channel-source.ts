/**
 * Where a channel is read from: a host over HTTP, or a folder such as that of a USB disk. Nothing of it is trusted. HTTP
 * has the limits of src/base/requests.ts: against hosts that stall, send slowly or for ever, and redirect in circles
 * or to private addresses. A file of a folder that is no regular file is refused.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { InvalidValueError } from '../base/errors.js';
import {
  DownloadError,
  parseContentRange,
  parseRetryAfter,
  permanentError,
  type ReceivedResponse,
  type RequestLimits,
  type RetryPolicy,
  request,
  retry,
  retryableError,
  retryPieces,
  SYSTEM_NETWORK,
  sendable,
} from '../base/requests.js';
import { ChannelError, parseSourceUrl } from './channel.js';

/** Text of a file, with what a later request says it has. */
export interface SourceText {
  readonly text: string;
  readonly etag: string | null;
}

export interface ChannelSource {
  /** An address or a path, as in messages. */
  readonly name: string;
  /**
   * The text of a file of at most `maxBytes`; "unchanged" where it still has `etag`. Throws ChannelError HOST_FAILED,
   * also where the file is longer.
   */
  readText(path: string, maxBytes: number, etag?: string | null): Promise<SourceText | 'unchanged'>;
  /** The pieces of a file of exactly this length, without the first `offset` bytes. Throws ChannelError HOST_FAILED. */
  readInPieces(path: string, length: number, offset: number): AsyncIterable<Uint8Array>;
}

/** Maximum time without a byte, in milliseconds. */
const STALL_MS = 30_000;
/** Minimum speed of a host in bytes a second, measured over STALL_MS. */
const MIN_BYTES_PER_SECOND = 1_000;
/** How often a file is asked for again in one pull. */
const RETRIES = 4;

/**
 * Opens a source by its address. `signal` ends requests and the pauses between them; `onRetry` is told why a file is
 * asked for again. Throws InvalidValueError.
 */
export function openChannelSource(
  address: string,
  signal: AbortSignal,
  onRetry: (error: Error) => void,
): ChannelSource {
  const url = parseAddress(address);
  if (url === undefined) return createFolderSource(address, signal);
  return createHttpSource({
    url,
    limits: { stallMs: STALL_MS, minBytesPerSecond: MIN_BYTES_PER_SECOND, network: SYSTEM_NETWORK },
    retryPolicy: {
      retries: RETRIES,
      onRetry,
      wait: (milliseconds) => wait(milliseconds, undefined, { signal }),
      random: Math.random,
    },
    signal,
  });
}

/** As parseSourceUrl; the error is a whole sentence. */
export function parseAddress(address: string): URL | undefined {
  try {
    return parseSourceUrl(address);
  } catch (error) {
    // Without the address, which may have a password.
    throw new InvalidValueError(`the address can't be pulled from: ${(error as Error).message}`);
  }
}

/** So that opening a pipe does not wait for somebody who writes to it. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** `signal` ends what is read. */
export function createFolderSource(folder: string, signal?: AbortSignal): ChannelSource {
  /** The pieces of a file whose length `isRight`; otherwise the error says `wrong`. */
  async function* pieces(
    path: string,
    isRight: (length: number) => boolean,
    wrong: string,
    start = 0,
  ): AsyncGenerator<Buffer> {
    try {
      signal?.throwIfAborted();
      const file = await open(join(folder, path), READ);
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error('it is no regular file');
        if (!isRight(info.size)) throw new Error(`it has ${info.size} bytes instead of ${wrong}`);
        if (info.size === start) return;
        // A file that grows meanwhile is read no further.
        yield* file.createReadStream({ start, end: info.size - 1, autoClose: false, ...(signal && { signal }) });
      } finally {
        await file.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      const found = `${join(folder, path)}: ${(error as Error).message}`;
      throw new ChannelError('HOST_FAILED', found, 'copy the whole folder that publish filled');
    }
  }
  return {
    name: folder,
    async readText(path, maxBytes) {
      const read: Buffer[] = [];
      const isRight = (length: number): boolean => length <= maxBytes;
      for await (const piece of pieces(path, isRight, `at most ${maxBytes}`)) read.push(piece);
      return { text: Buffer.concat(read).toString('utf8'), etag: null };
    },
    readInPieces: (path, length, offset) => pieces(path, (found) => found === length, `${length}`, offset),
  };
}

export interface HttpSourceOptions {
  /** The address of the folder that `publish` filled, with a slash at its end. */
  readonly url: URL;
  readonly limits: RequestLimits;
  readonly retryPolicy: RetryPolicy;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

/** The status codes below 500 after which a retry may succeed. */
const RETRYABLE_STATUSES = [408, 425, 429];

export function createHttpSource({ url, limits, retryPolicy, signal }: HttpSourceOptions): ChannelSource {
  const send = async (path: string, headers: Record<string, string>): Promise<ReceivedResponse> => {
    signal.throwIfAborted();
    return await request(new URL(path, url), headers, limits, signal);
  };
  const failureOf = (path: string, error: unknown): unknown => {
    signal.throwIfAborted();
    if (!(error instanceof DownloadError)) return error;
    return new ChannelError('HOST_FAILED', `${new URL(path, url).href}: ${error.message}`, 'look at the host');
  };
  const readTextOnce = async (
    path: string,
    maxBytes: number,
    etag?: string | null,
  ): Promise<SourceText | 'unchanged'> => {
    const response = await send(path, etag ? { 'if-none-match': etag } : {});
    try {
      if (response.status === 304 && etag) return 'unchanged';
      if (response.status !== 200) throw refusalOf(response);
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of response.chunks()) {
        length += chunk.length;
        if (length > maxBytes) throw permanentError(`is longer than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { text: Buffer.concat(chunks).toString('utf8'), etag: sendable(response.headers.get('etag')) };
    } finally {
      response.close();
    }
  };
  return {
    name: url.href,
    async readText(path, maxBytes, etag) {
      try {
        return await retry(retryPolicy, () => readTextOnce(path, maxBytes, etag));
      } catch (error) {
        throw failureOf(path, error);
      }
    },
    async *readInPieces(path, length, offset) {
      if (offset === length) return;
      const rest = new Rest(length, offset);
      try {
        yield* retryPieces(retryPolicy, () => rest.readFrom((headers) => send(path, headers)));
      } catch (error) {
        throw failureOf(path, error);
      }
    },
  };
}

/** The bytes of a file of known length that have not come yet. */
class Rest {
  #hasRanges = true;

  constructor(
    private readonly length: number,
    /** Number of bytes that have come. */
    private done: number,
  ) {}

  /** Sends a request for the rest, and gives what comes of it. Of a file that comes from its start, the start is left out. */
  async *readFrom(send: (headers: Record<string, string>) => Promise<ReceivedResponse>): AsyncGenerator<Uint8Array> {
    const asksForRange = this.#hasRanges && this.done > 0;
    const response = await send(asksForRange ? { range: `bytes=${this.done}-` } : {});
    try {
      let position = this.#startOf(response);
      for await (const chunk of response.chunks()) {
        position += chunk.length;
        if (position > this.length) throw retryableError(`sent more than ${this.length} bytes`);
        const fresh = Math.min(position - this.done, chunk.length);
        if (fresh <= 0) continue;
        this.done = position;
        yield chunk.subarray(chunk.length - fresh);
      }
      if (position < this.length) throw retryableError(`ended after ${position} of ${this.length} bytes`);
    } finally {
      response.close();
    }
  }

  /** The position in the file at which the body begins. */
  #startOf(response: ReceivedResponse): number {
    const { status, headers } = response;
    if (status === 200) return 0;
    if (status !== 206 && status !== 416) throw refusalOf(response);
    const range = parseContentRange(headers.get('content-range'));
    if (status === 206 && this.done > 0 && range?.start === this.done && range.total === this.length) return this.done;
    this.#hasRanges = false;
    throw retryableError('sent another range');
  }
}

function refusalOf({ status, headers }: ReceivedResponse): DownloadError {
  const message = `the host answers with status ${status}`;
  if (status >= 400 && status < 500 && !RETRYABLE_STATUSES.includes(status)) return permanentError(message);
  return retryableError(message, parseRetryAfter(headers.get('retry-after'), Date.now()));
}
