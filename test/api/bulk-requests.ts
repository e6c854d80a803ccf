/** Bulk requests as raw text, as no client library would send some of them. */

import { GOOD_KEY, type RawResponse, sendRaw } from './harness.js';

export interface SentBulk {
  readonly key?: string | undefined;
  readonly query?: string;
  readonly type?: string;
  /** Further headers, each with its line end; in the place of the length where there is one among these. */
  readonly headers?: string;
}

/** The head of a bulk request up to its body. */
export function bulkHead(bytes: number, { key = GOOD_KEY, query = '', type, headers = '' }: SentBulk = {}): string {
  const length = /^(?:content-length|transfer-encoding)/im.test(headers) ? '' : `content-length: ${bytes}\r\n`;
  return (
    `POST /v1/bulk${query} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n` +
    `content-type: ${type ?? 'application/json'}\r\n${length}${headers}`
  );
}

/** Each character of the body is a byte. Closes the connection after the answer. */
export function postRaw(port: number, body: string, sent: SentBulk = {}): Promise<RawResponse> {
  return sendRaw(port, `${bulkHead(body.length, sent)}connection: close\r\n\r\n${body}`);
}

export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Posts lookups, and reads a body that has a length, or one in chunks. */
export async function postLookups(port: number, body: object, sent: SentBulk = {}): Promise<RawResponse> {
  return unchunk(await postRaw(port, utf8(JSON.stringify(body)), sent));
}

/** The response with its body in one piece. */
export function unchunk(response: RawResponse): RawResponse {
  if (!/\r\ntransfer-encoding: chunked/i.test(response.head)) return response;
  let rest = Buffer.from(response.body);
  const chunks: Buffer[] = [];
  for (;;) {
    const end = rest.indexOf('\r\n');
    const bytes = Number.parseInt(rest.subarray(0, end).toString(), 16);
    if (!(bytes > 0)) break;
    chunks.push(rest.subarray(end + 2, end + 2 + bytes));
    rest = rest.subarray(end + 2 + bytes + 2);
  }
  return { ...response, body: Buffer.concat(chunks).toString() };
}
