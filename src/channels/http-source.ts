/**
 * Reads a channel from a static host over HTTP or HTTPS, with the limits of src/transfer/request.ts: against hosts that
 * stall, send slowly or for ever, and redirect in circles or to private addresses. What broke off goes on where it
 * stopped: a part's name is its digest, so its bytes never change.
 */
import { DownloadError, permanentError, retryableError } from '../transfer/download-error.js';
import { parseContentRange, parseRetryAfter, sendable } from '../transfer/http-headers.js';
import { type ReceivedResponse, type RequestLimits, request } from '../transfer/request.js';
import { type RetryPolicy, retry } from '../transfer/retry.js';
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
  /** Sends one request, and `use`s its response. */
  const get = async <T>(
    path: string,
    headers: Record<string, string>,
    use: (response: ReceivedResponse) => Promise<T>,
  ): Promise<T> => {
    signal.throwIfAborted();
    const response = await request(new URL(path, url), headers, limits, signal);
    try {
      return await use(response);
    } finally {
      response.close();
    }
  };
  const retried = async <T>(path: string, attempt: () => Promise<T>): Promise<T> => {
    try {
      return await retry(retryPolicy, attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DownloadError)) throw error;
      throw new ChannelError('HOST_FAILED', `${new URL(path, url).href}: ${error.message}`, 'look at the host');
    }
  };
  return {
    name: url.href,
    readText: (path, maxBytes, etag) =>
      retried(path, () =>
        get(path, etag ? { 'if-none-match': etag } : {}, async (response) => {
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
        }),
      ),
    async readBytes(path, bytes) {
      const { length } = bytes;
      let done = 0;
      await retried(path, () =>
        get(path, done === 0 ? {} : { range: `bytes=${done}-` }, async (response) => {
          const { status } = response;
          if (status === 200) done = 0;
          else if (status === 416 || (status === 206 && !isRest(response, done, length))) {
            done = 0;
            throw retryableError('sent another range');
          } else if (status !== 206) throw refusalOf(response);
          for await (const chunk of response.chunks()) {
            if (done + chunk.length > length) {
              done = 0;
              throw retryableError(`sent more than ${length} bytes`);
            }
            bytes.set(chunk, done);
            done += chunk.length;
          }
          if (done < length) throw retryableError(`ended after ${done} of ${length} bytes`);
        }),
      );
    },
  };
}

function isRest({ headers }: ReceivedResponse, start: number, length: number): boolean {
  const range = parseContentRange(headers.get('content-range'));
  return start > 0 && range?.start === start && range.total === length;
}

function refusalOf({ status, headers }: ReceivedResponse): DownloadError {
  const message = `the host answers with status ${status}`;
  if (status >= 400 && status < 500 && !RETRYABLE_STATUSES.includes(status)) return permanentError(message);
  return retryableError(message, parseRetryAfter(headers.get('retry-after'), Date.now()));
}
