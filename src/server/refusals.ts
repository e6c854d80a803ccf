/** Requests that are refused before the app sees them: why, and the response that Node itself would not send. */

import { type IncomingMessage, STATUS_CODES } from 'node:http';

/** Why a request is refused before routing. */
export type Refusal =
  | 'malformed'
  | 'unencoded-url'
  | 'headers-too-large'
  | 'too-slow'
  /** CONNECT. */
  | 'tunnel'
  /** The target has no path that Express could route, such as `GET mailto://x`. */
  | 'unroutable'
  /** A body that the app reads comes in too many small chunks (chunked-body.ts). */
  | 'chunk-flood'
  | RequestFault;

/** A fault of a request that Node has parsed. */
export type RequestFault = 'url-too-long' | 'no-host' | 'several-hosts' | 'chunked-upgrade';

export interface RefusalResponse {
  readonly status: number;
  /** A flat list of names and values. */
  readonly headers: readonly string[];
  /** Each character is one byte. */
  readonly body: string;
}

/** Characters of a URL: what proxies and browsers agree on at least. */
export const MAX_URL_CHARACTERS = 8_192;

/** The fault of the target or the Host headers of a request; undefined if there is none. */
export function findRequestFault(request: IncomingMessage): RequestFault | undefined {
  const { url = '', rawHeaders, headers, httpVersion } = request;
  if (url.length > MAX_URL_CHARACTERS) return 'url-too-long';
  const hostCount = countHosts(rawHeaders);
  if (hostCount > 1) return 'several-hosts';
  if (hostCount === 0 && httpVersion === '1.1') return 'no-host';
  // Node tells nothing of what it has read behind the head of such a request.
  return headers.upgrade !== undefined && headers['transfer-encoding'] !== undefined ? 'chunked-upgrade' : undefined;
}

/** Node uses the first of several Host headers, but a proxy may have routed by another. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** Why Node could not parse a request. */
export function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  // Happens to a plain `curl` of a name with an umlaut.
  if (code === 'HPE_INVALID_URL') return 'unencoded-url';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed';
}

export function toRawRefusal({ status, headers, body }: RefusalResponse): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `date: ${new Date().toUTCString()}`,
    `content-length: ${body.length}`,
  ];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
