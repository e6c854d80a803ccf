/**
 * One GET request over HTTP or HTTPS, its redirects followed: from a public host to public addresses only. It ends with a
 * DownloadError when nothing comes for a while (no headers, or no further byte of the body), or so few bytes that the
 * download would never end. Each request has a connection of its own, so that none is used that was opened by other rules.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { DownloadError, finalError, passingError } from './download-error.js';
import { checkPublic, type Network, publicLookup } from './network.js';

export interface RequestLimits {
  /** For how long nothing may come, or less than `minBytesPerSecond` of the body. */
  readonly stallMs: number;
  readonly minBytesPerSecond: number;
  readonly network: Network;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, piece by piece. Throws DownloadError where the connection breaks off or stalls. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Closes the connection unless the body has been read to its end. */
  close(): void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The first answer that is no redirect. Throws DownloadError. */
export async function request(url: URL, headers: Record<string, string>, limits: RequestLimits): Promise<Answer> {
  let at = url;
  let isPublicOnly = false;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await requestOnce(at, headers, limits, isPublicOnly);
    if (!REDIRECTS.includes(answer.status)) return answer;
    answer.close();
    isPublicOnly ||= answer.address === undefined || !limits.network.isPrivate(answer.address);
    at = redirectTarget(at, answer.headers.get('location'));
  }
  throw finalError(`redirects more than ${MAX_REDIRECTS} times`);
}

function redirectTarget(from: URL, location: string | null): URL {
  const target = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isAllowed =
    target !== undefined &&
    (target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:')) &&
    target.username === '' &&
    target.password === '';
  if (!isAllowed) throw finalError(`redirects to ${JSON.stringify(location)}, which is not followed`);
  return target;
}

interface OneAnswer extends Answer {
  /** The address that the answer came from; unknown where the connection is closed already. */
  readonly address: string | undefined;
}

async function requestOnce(
  url: URL,
  headers: Record<string, string>,
  limits: RequestLimits,
  isPublicOnly: boolean,
): Promise<OneAnswer> {
  const { stallMs, network } = limits;
  if (isPublicOnly) checkPublic(url, network);
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent: false,
    lookup: isPublicOnly ? publicLookup(url, network) : network.lookup,
    // Lengths and ranges must be those of the zip file itself, so the server must not compress the answer once more.
    headers: { 'accept-encoding': 'identity', 'user-agent': 'postal-places build-index', ...headers },
  });
  const close = (): void => void request.destroy();
  /** Limits the time of one step of the server; the time that the caller takes for the bytes does not count. */
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(passingError(`nothing came for ${stallMs / 1000} s`)), stallMs);
    });
    try {
      return await Promise.race([step, stalled]);
    } catch (error) {
      close();
      throw error instanceof DownloadError ? error : passingError(reasonOf(error));
    } finally {
      clearTimeout(timer);
    }
  };
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    // Stays for as long as the request: what comes behind the head is told by the body.
    request.on('error', reject).once('response', resolve).end();
  });
  const response = await inTime(head);
  // A connection that is closed before the body has been read says so to nobody else.
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    address: response.socket.remoteAddress,
    chunks: () => chunksOf(response, limits, inTime),
    close,
  };
}

/** The body, piece by piece. Throws DownloadError where it breaks off, stalls or trickles. */
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
    // Looked at only when another piece has come: a last piece that came slowly is there all the same.
    if (waitedMs >= stallMs) {
      if (byteCount * 1000 < minBytesPerSecond * waitedMs) {
        throw passingError(`only ${byteCount} bytes came in ${Math.round(waitedMs / 1000)} s`);
      }
      [waitedMs, byteCount] = [0, 0];
    }
    waitedMs += performance.now() - askedMs;
    byteCount += value.length;
    yield value;
  }
}

/** Those that may be there once: no header that matters here may come several times. */
function headersOf({ headers }: IncomingMessage): Headers {
  const single = Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string');
  return new Headers(single);
}

/** The message of the innermost cause, or the code of several that have no message together. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : message || code || 'unknown error';
}
