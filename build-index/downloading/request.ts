/**
 * One GET request over HTTP or HTTPS, its redirects followed. It ends with a DownloadError when nothing comes for a while
 * (no headers, or no further byte of the body), or so few bytes that the download would never end.
 */
import { finalError, passingError } from './download-error.js';

export interface RequestLimits {
  /** For how long nothing may come, or less than `minBytesPerSecond` of the body. */
  readonly stallMs: number;
  readonly minBytesPerSecond: number;
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
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await requestOnce(at, headers, limits);
    if (!REDIRECTS.includes(answer.status)) return answer;
    answer.close();
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

async function requestOnce(url: URL, headers: Record<string, string>, limits: RequestLimits): Promise<Answer> {
  const { stallMs, minBytesPerSecond } = limits;
  const controller = new AbortController();
  const close = (): void => controller.abort();
  const stall = (): void => controller.abort(new Error(`nothing came for ${stallMs / 1000} s`));
  /** Limits the time of one step of the server; the time that the caller takes for the bytes does not count. */
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    const timer = setTimeout(stall, stallMs);
    try {
      return await step;
    } catch (error) {
      throw passingError(reasonOf(error));
    } finally {
      clearTimeout(timer);
    }
  };
  // Lengths and ranges must be those of the zip file itself, so the server must not compress the answer once more.
  const allHeaders = { 'accept-encoding': 'identity', 'user-agent': 'postal-places build-index', ...headers };
  const response = await inTime(fetch(url, { headers: allHeaders, redirect: 'manual', signal: controller.signal }));
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    let [waitedMs, byteCount] = [0, 0];
    for (;;) {
      const askedMs = performance.now();
      const { done, value } = await inTime(reader.read());
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
  return { status: response.status, headers: response.headers, chunks, close };
}

/** The message of the innermost cause: fetch hides the reason one or two causes deep. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : message || code || 'unknown error';
}
