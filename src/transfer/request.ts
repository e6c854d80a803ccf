/**
 * Sends a GET request over HTTP or HTTPS and follows its redirects, from a public host to public addresses only. Throws
 * DownloadError if the server stalls (no headers, or no further byte of the body) or sends too slowly. Each request has
 * its own connection, so that it never reuses one that was opened before the address check.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { checkPublic, type Network, publicLookup } from './network.js';
import { DownloadError, permanentError, retryableError } from './retry.js';

export interface RequestLimits {
  /** Maximum time without a byte, or with less than `minBytesPerSecond` of the body, in milliseconds. */
  readonly stallMs: number;
  readonly minBytesPerSecond: number;
  readonly network: Network;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The chunks of the body. Throws DownloadError if the connection breaks or stalls. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Closes the connection if the body has not been read to its end. */
  close(): void;
}

/** Maximum number of redirects of one request: more indicate a loop. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The first response that is not a redirect. `signal` ends request and body. Throws DownloadError. */
export async function request(
  url: URL,
  headers: Record<string, string>,
  limits: RequestLimits,
  signal?: AbortSignal,
): Promise<ReceivedResponse> {
  let at = url;
  let isPublicOnly = false;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await requestOnce(at, headers, limits, { isPublicOnly, signal });
    if (!REDIRECTS.includes(response.status)) return response;
    response.close();
    isPublicOnly ||= response.address === undefined || !limits.network.isPrivate(response.address);
    at = redirectTarget(at, response.headers.get('location'));
  }
  throw permanentError(`redirects more than ${MAX_REDIRECTS} times`);
}

function redirectTarget(from: URL, location: string | null): URL {
  const target = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isAllowed =
    target !== undefined &&
    (target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:')) &&
    target.username === '' &&
    target.password === '';
  if (!isAllowed) throw permanentError(`redirects to ${JSON.stringify(location)}, which is not followed`);
  return target;
}

interface SingleResponse extends ReceivedResponse {
  /** The server's address; undefined if the connection is closed already. */
  readonly address: string | undefined;
}

async function requestOnce(
  url: URL,
  headers: Record<string, string>,
  limits: RequestLimits,
  { isPublicOnly, signal }: { readonly isPublicOnly: boolean; readonly signal: AbortSignal | undefined },
): Promise<SingleResponse> {
  const { stallMs, network } = limits;
  if (isPublicOnly) checkPublic(url, network);
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    lookup: isPublicOnly ? publicLookup(url, network) : network.lookup,
    // Lengths and ranges must refer to the zip file itself, so the server must not compress it again.
    headers: { 'accept-encoding': 'identity', 'user-agent': 'postal-places', ...headers },
  });
  const close = (): void => void request.destroy();
  /** Limits the time of one step of the server; the caller's time to process the bytes does not count. */
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(retryableError(`nothing came for ${stallMs / 1000} s`)), stallMs);
    });
    try {
      return await Promise.race([step, stalled]);
    } catch (error) {
      close();
      throw error instanceof DownloadError ? error : retryableError(reasonOf(error));
    } finally {
      clearTimeout(timer);
    }
  };
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    // This listener stays for the whole request: errors after the head also reject reads of the body.
    request.on('error', reject).once('response', resolve).end();
  });
  const response = await inTime(head);
  // Without a listener, a connection closed before the body is read would crash the process.
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    address: response.socket.remoteAddress,
    chunks: () => chunksOf(response, limits, inTime),
    close,
  };
}

/** The chunks of the body. Throws DownloadError if the connection breaks, stalls or is too slow. */
async function* chunksOf(
  response: IncomingMessage,
  { stallMs, minBytesPerSecond }: RequestLimits,
  inTime: <T>(step: Promise<T>) => Promise<T>,
): AsyncGenerator<Uint8Array> {
  const pieces = response[Symbol.asyncIterator]();
  let [waitedMs, byteCount] = [0, 0];
  for (;;) {
    const askedMs = performance.now();
    const { done, value } = (await inTime(pieces.next())) as IteratorResult<Buffer>;
    if (done) return;
    // Checked only when another chunk has arrived: a slow last chunk is still complete.
    if (waitedMs >= stallMs) {
      if (byteCount * 1000 < minBytesPerSecond * waitedMs) {
        throw retryableError(`only ${byteCount} bytes came in ${Math.round(waitedMs / 1000)} s`);
      }
      [waitedMs, byteCount] = [0, 0];
    }
    waitedMs += performance.now() - askedMs;
    byteCount += value.length;
    yield value;
  }
}

/** The headers with a single value: no header that the download uses may be repeated. */
function headersOf({ headers }: IncomingMessage): Headers {
  const single = Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string');
  return new Headers(single);
}

/** The message of the innermost cause, or its code if it has no message (an AggregateError). */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : message || code || 'unknown error';
}
