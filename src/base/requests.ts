/**
 * Sends a GET request over HTTP or HTTPS and follows its redirects, from a public host to public addresses only. Throws
 * DownloadError if the server stalls (no headers, or no further byte of the body) or sends too slowly. Each request has
 * its own connection, so that it never reuses one that was opened before the address check. Retries are limited, and come
 * after exponential backoff with jitter, or after the delay that the server asks for.
 */

import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A failure of the network or the server. Errors of the file system, such as a full disk, are not of this class.
 */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';

  /** `isFinal`: a retry would fail too. `retryAfterMs`: the delay that the server asks for, in milliseconds. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** An error after which a retry may succeed. */
export function retryableError(message: string, retryAfterMs = 0): DownloadError {
  return new DownloadError(message, false, retryAfterMs);
}

export function permanentError(message: string): DownloadError {
  return new DownloadError(message, true);
}

export interface RetryPolicy {
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  /** Told why an attempt failed, before each retry. */
  onRetry?(error: DownloadError): void;
  wait(milliseconds: number): Promise<unknown>;
  /** A number from 0 (included) to 1 (excluded). */
  random(): number;
}

export function createRetryPolicy(retries: number): RetryPolicy {
  return { retries, wait: sleep, random: Math.random };
}

/** Delay before the first retry, in milliseconds; it doubles with each retry. */
const FIRST_DELAY_MS = 1000;
/** Maximum delay by backoff, in milliseconds. */
const MAX_DELAY_MS = 60_000;
/** Maximum delay by Retry-After, in milliseconds: rather than wait for hours, the download fails. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Half of the delay is fixed, half is random, so that clients that failed together don't retry together. */
function delayBefore(retry: number, retryAfterMs: number, random: () => number): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (retry - 1), MAX_DELAY_MS);
  return Math.max(backoff * (0.5 + random() / 2), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The result of the first successful `attempt`. Throws the last DownloadError, or any other error at once. */
export async function retry<T>(retryPolicy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await attempt();
    } catch (error) {
      await waitAfter(error, tryNumber, retryPolicy);
    }
  }
}

/** The same for what comes in pieces: each attempt gives the pieces that those before it lacked. */
export async function* retryPieces<T>(retryPolicy: RetryPolicy, attempt: () => AsyncIterable<T>): AsyncGenerator<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return yield* attempt();
    } catch (error) {
      await waitAfter(error, tryNumber, retryPolicy);
    }
  }
}

/** Waits until the next attempt. Throws what the last attempt throws. */
async function waitAfter(error: unknown, tryNumber: number, retryPolicy: RetryPolicy): Promise<void> {
  const { retries, wait, random } = retryPolicy;
  if (!(error instanceof DownloadError) || error.isFinal) throw error;
  if (tryNumber > retries) {
    throw tryNumber === 1 ? error : new DownloadError(`${error.message} (try ${tryNumber}, the last)`, true);
  }
  retryPolicy.onRetry?.(error);
  await wait(delayBefore(tryNumber, error.retryAfterMs, random));
}

/*
 * Prevents server-side request forgery by redirects. The operator may name a public or a private host, but a public
 * host must not redirect a download to a private one, whose services may trust its network. The check uses the
 * addresses of the connection itself, so that a host name that changes its addresses can't bypass it.
 */

/** The name resolution of downloads. Tests replace it, so that they can have public hosts on the loopback interface. */
export interface Network {
  /** The same as lookup of node:dns. */
  readonly lookup: LookupFunction;
  isPrivate(address: string): boolean;
}

/** Address ranges outside the public internet, from IANA's registries of special-purpose addresses. */
const PRIVATE_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private use
  ['100.64.0.0', 10], // behind a carrier's address translation
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; clouds keep their metadata there
  ['172.16.0.0', 12], // private use
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private use
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 96], // unspecified, loopback, and IPv4 addresses in a form that is out of use
  ['::ffff:0:0:0', 96], // translated to IPv4 (SIIT)
  ['64:ff9b:1::', 48], // translated to IPv4 within a network
  ['100::', 64], // discarded
  ['2001::', 23], // protocol assignments, and tunnels to IPv4 (Teredo)
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // tunnels to IPv4 (6to4)
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local
  ['ff00::', 8], // multicast
];
/** The 96-bit prefix of IPv6 addresses that a network translates to IPv4 (RFC 6052). */
const TRANSLATED_IPV4 = '64:ff9b::';

function privateAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of PRIVATE_IPV4) {
    list.addSubnet(network, prefix, 'ipv4');
    list.addSubnet(TRANSLATED_IPV4 + network, 96 + prefix, 'ipv6');
  }
  for (const [network, prefix] of PRIVATE_IPV6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const PRIVATE = privateAddresses();

/** Whether an address is outside the public internet, or invalid. An IPv4-mapped address counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 0 || PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export const SYSTEM_NETWORK: Network = { lookup, isPrivate: isPrivateAddress };

/**
 * The lookup for a connection after a redirect by a public host: fails with a DownloadError if one of the addresses is
 * private. A connection to an address uses no lookup: see checkPublic.
 */
export function publicLookup(url: URL, { lookup, isPrivate }: Network): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [];
      const refused = addresses.find(({ address }) => isPrivate(address));
      const [first] = addresses;
      if (refused !== undefined) callback(privateTarget(url, refused.address), []);
      else if (options.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

/** Throws DownloadError if the host of `url` is a private address. */
export function checkPublic(url: URL, { isPrivate }: Network): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && isPrivate(host)) throw privateTarget(url, host);
}

function privateTarget(url: URL, address: string): Error {
  const target = JSON.stringify(url.href);
  return permanentError(
    `redirects to ${target} at the private address ${address}, which is not followed from a public host`,
  );
}

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

/* The headers of conditional and range requests and of their responses (RFC 9110, sections 13 and 14). */

/** The validators of a response; null if the server sent none, or one that can't be sent back. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export function validatorsOf(headers: Headers): Validators {
  return { etag: sendable(headers.get('etag')), lastModified: sendable(headers.get('last-modified')) };
}

/** The value if it is valid text for a request header; otherwise null. */
export function sendable(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,200}$/.test(value) ? value : null;
}

/** Headers for a request that is answered with 304 if the file still has these validators. Empty if both are null. */
export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/**
 * The validator for If-Range, which identifies a response's content exactly: a strong ETag, or a date at least one
 * second old, so that no later content can have the same date. Null if the response has neither.
 */
export function strongValidator(headers: Headers): string | null {
  const { etag, lastModified } = validatorsOf(headers);
  if (etag !== null) return etag.startsWith('"') ? etag : null;
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified ?? '');
  return age >= 1000 ? lastModified : null;
}

/** Headers for a request for the rest of a file, or for the whole file if its validator has changed. */
export function rangeHeaders(offset: number, validator: string): Record<string, string> {
  return { range: `bytes=${offset}-`, 'if-range': validator };
}

interface ContentRange {
  readonly start: number;
  readonly total: number;
}

/** Parses "bytes 100-199/200"; undefined if the value is invalid or lacks the total. */
export function parseContentRange(value: string | null): ContentRange | undefined {
  const [, start, end, total] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? []).map(Number);
  if (start === undefined || end === undefined || total === undefined) return undefined;
  return start <= end && end < total ? { start, total } : undefined;
}

/** The value of Content-Length; null if the response has none. */
export function parseLength(value: string | null): number | null {
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : null;
}

/** Retry-After (seconds or a date) in milliseconds from `now`; 0 if the value is missing or invalid. */
export function parseRetryAfter(value: string | null, now: number): number {
  if (/^\d{1,9}$/.test(value ?? '')) return Number(value) * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
