/**
 * Sends a GET request over HTTP or HTTPS and follows its redirects, from a public host to public addresses only. Throws
 * DownloadError if the server stalls (no headers, or no further byte of the body) or sends too slowly. Each request has
 * its own connection, so that it never reuses one that was opened before the address check.
 */

import { lookup } from 'node:dns';
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-addresses.js';
import { DownloadError, permanentError, retryableError } from './retry.js';

/*
 * Prevents server-side request forgery by redirects. The operator may name a public or a private host, but a public
 * host must not redirect a download to a private one, whose services may trust its network. The check uses the
 * addresses of the connection itself, so that a host name that changes its addresses can't bypass it.
 */

/**
 * The lookup for a connection after a redirect by a public host: fails with a DownloadError if one of the addresses is
 * private. A connection to an address uses no lookup: see checkPublic.
 */
export function publicLookup(url: URL): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [];
      const refused = addresses.find(({ address }) => isPrivateAddress(address));
      const [first] = addresses;
      if (refused !== undefined) callback(privateTarget(url, refused.address), []);
      else if (options.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

/** Refuses a `url` whose host is a private address. */
function checkPublic(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw privateTarget(url, host);
}

function privateTarget(url: URL, address: string): Error {
  const target = JSON.stringify(url.href);
  return permanentError(
    `redirects to ${target} at the private address ${address}, which is not followed from a public host`,
  );
}

/** Minimum speed of a host in bytes a second, measured over `stallMs`: with less, no file of a release would ever come. */
const MIN_BYTES_PER_SECOND = 1_000;

export interface RequestLimits {
  /** Maximum time without a byte, or with less than MIN_BYTES_PER_SECOND of the body, in milliseconds. */
  readonly stallMs: number;
  /** Ends request and body. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of redirects of one request: more indicate a loop. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The first response that is not a redirect; the caller reads or destroys it. */
export async function request(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: RequestLimits,
): Promise<IncomingMessage> {
  let at = url;
  let isPublicOnly = false;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await requestOnce(at, headers, limits, isPublicOnly);
    if (!REDIRECTS.includes(response.statusCode ?? 0)) return response;
    const { remoteAddress } = response.socket;
    response.destroy();
    isPublicOnly ||= remoteAddress === undefined || !isPrivateAddress(remoteAddress);
    at = redirectTarget(at, response.headers.location);
  }
  throw permanentError(`redirects more than ${MAX_REDIRECTS} times`);
}

function redirectTarget(from: URL, location: string | undefined): URL {
  const target = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isAllowed =
    target !== undefined &&
    (target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:')) &&
    target.username === '' &&
    target.password === '';
  if (!isAllowed) throw permanentError(`redirects to ${JSON.stringify(location)}, which is not followed`);
  return target;
}

async function requestOnce(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { stallMs, signal }: RequestLimits,
  isPublicOnly: boolean,
): Promise<IncomingMessage> {
  if (isPublicOnly) checkPublic(url);
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    lookup: isPublicOnly ? publicLookup(url) : lookup,
    // Lengths and ranges must refer to the file itself, so the server must not compress it again.
    headers: { 'accept-encoding': 'identity', 'user-agent': 'postal-places', ...headers },
  });
  const timer = setTimeout(() => request.destroy(stalled(stallMs)), stallMs);
  try {
    const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
    // A connection that breaks before the body is read would crash the process.
    return response.on('error', () => {});
  } catch (error) {
    throw asDownloadError(error);
  } finally {
    clearTimeout(timer);
    request.on('error', () => {});
  }
}

/** The chunks of the body, which may break off by a DownloadError. */
export async function* chunksOf(response: IncomingMessage, { stallMs }: RequestLimits): AsyncGenerator<Buffer> {
  response.setTimeout(stallMs, () => response.destroy(stalled(stallMs)));
  let [since, byteCount] = [performance.now(), 0];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const waitedMs = performance.now() - since;
      // Checked only when another chunk has arrived: a slow last chunk is still complete.
      if (waitedMs >= stallMs) {
        if (byteCount * 1000 < MIN_BYTES_PER_SECOND * waitedMs) {
          throw retryableError(`only ${byteCount} bytes came in ${Math.round(waitedMs / 1000)} s`);
        }
        [since, byteCount] = [performance.now(), 0];
      }
      byteCount += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw asDownloadError(error);
  }
}

function stalled(stallMs: number): DownloadError {
  return retryableError(`nothing came for ${stallMs / 1000} s`);
}

function asDownloadError(error: unknown): DownloadError {
  return error instanceof DownloadError ? error : retryableError(reasonOf(error));
}

/** The message of the innermost cause, or its code if it has no message (an AggregateError). */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : message || code || 'unknown error';
}

/** The status codes below 500 after which a retry may succeed. */
const RETRYABLE_STATUSES = [408, 416, 425, 429];

/** The error of a response whose status the caller can't use. */
export function requestRefusalOf({ statusCode: status = 0, headers }: IncomingMessage): DownloadError {
  const message = `the host answers with status ${status}`;
  if (status >= 400 && status < 500 && !RETRYABLE_STATUSES.includes(status)) return permanentError(message);
  return retryableError(message, parseRetryAfter(headers['retry-after']));
}

/** Retry-After (seconds or a date) in milliseconds from now; 0 if the value is missing or invalid. */
function parseRetryAfter(value = ''): number {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(date - Date.now(), 0);
}
