/** The headers of conditional and range requests and of their responses (RFC 9110, sections 13 and 14). */

import type { IncomingHttpHeaders } from 'node:http';

/** The validators of a response; null if the server sent none, or one that can't be sent back. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export function validatorsOf(headers: IncomingHttpHeaders): Validators {
  return { etag: sendable(headers.etag), lastModified: sendable(headers['last-modified']) };
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
export function strongValidator(headers: IncomingHttpHeaders): string | null {
  const { etag, lastModified } = validatorsOf(headers);
  if (etag !== null) return etag.startsWith('"') ? etag : null;
  const age = Date.parse(headers.date ?? '') - Date.parse(lastModified ?? '');
  return age >= 1000 ? lastModified : null;
}

/** Headers for a request for the rest of a file, or for the whole file if it has another validator now. */
export function rangeHeaders(offset: number, validator: string | null): Record<string, string> {
  return { range: `bytes=${offset}-`, ...(validator === null ? {} : { 'if-range': validator }) };
}

interface ContentRange {
  readonly start: number;
  readonly total: number;
}

/** Parses "bytes 100-199/200"; undefined if the value is invalid or lacks the total. */
export function parseContentRange(value: string | undefined): ContentRange | undefined {
  const [, start, end, total] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? []).map(Number);
  if (start === undefined || end === undefined || total === undefined) return undefined;
  return start <= end && end < total ? { start, total } : undefined;
}

/** The value of Content-Length; null if the response has none. */
export function parseLength(value: string | undefined): number | null {
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : null;
}
