/**
 * Reads a channel from a static host over HTTP or HTTPS, with the limits of src/transfer/request.ts: against hosts that
 * stall, send slowly or for ever, and redirect in circles or to private addresses. What broke off goes on where it
 * stopped: a part's name is its digest, so its bytes never change.
 */
import { DownloadError, permanentError, retryableError } from '../transfer/download-error.js';
import { parseContentRange, parseRetryAfter, sendable } from '../transfer/http-headers.js';
import { type ReceivedResponse, type RequestLimits, request } from '../transfer/request.js';
import { type RetryPolicy, retry, retryPieces } from '../transfer/retry.js';
import { ChannelError } from './channel-error.js';
import type { ChannelSource } from './channel-source.js';

export interface HttpSourceOptions {
  /** The address of the folder that `publish --parts` filled, with a slash at its end. */
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
  const readTextOnce = async (path: string, maxBytes: number, etag?: string | null): Promise<ReadText> => {
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
    async *readInPieces(path, length) {
      const rest = new Rest(length);
      try {
        yield* retryPieces(retryPolicy, () => rest.readFrom((headers) => send(path, headers)));
      } catch (error) {
        throw failureOf(path, error);
      }
    },
  };
}

type ReadText = Awaited<ReturnType<ChannelSource['readText']>>;

/** The bytes of a file of known length that have not come yet. */
class Rest {
  #done = 0;
  #hasRanges = true;

  constructor(private readonly length: number) {}

  /** Sends a request for the rest, and gives what comes of it. Of a file that comes from its start, the start is left out. */
  async *readFrom(send: (headers: Record<string, string>) => Promise<ReceivedResponse>): AsyncGenerator<Uint8Array> {
    const asksForRange = this.#hasRanges && this.#done > 0;
    const response = await send(asksForRange ? { range: `bytes=${this.#done}-` } : {});
    try {
      let position = this.#startOf(response);
      for await (const chunk of response.chunks()) {
        position += chunk.length;
        if (position > this.length) throw retryableError(`sent more than ${this.length} bytes`);
        const fresh = Math.min(position - this.#done, chunk.length);
        if (fresh <= 0) continue;
        this.#done = position;
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
    if (status === 206 && this.#done > 0 && range?.start === this.#done && range.total === this.length)
      return this.#done;
    this.#hasRanges = false;
    throw retryableError('sent another range');
  }
}

function refusalOf({ status, headers }: ReceivedResponse): DownloadError {
  const message = `the host answers with status ${status}`;
  if (status >= 400 && status < 500 && !RETRYABLE_STATUSES.includes(status)) return permanentError(message);
  return retryableError(message, parseRetryAfter(headers.get('retry-after'), Date.now()));
}
