/** The headers of conditional and partial requests (RFC 9110, 13 and 14): what to send, and what to read from answers. */

/** As a server gave them; null where it did not, or gave what can't be sent back. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export function validatorsOf(headers: Headers): Validators {
  return { etag: sendable(headers.get('etag')), lastModified: sendable(headers.get('last-modified')) };
}

/** The value where it is text that a request header can hold. */
export function sendable(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,200}$/.test(value) ? value : null;
}

/** Asks for a file only if it is another than these are of. Empty where there are none. */
export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/**
 * What identifies an answer's content byte for byte, for If-Range: a strong ETag, or a date that was a second old, so
 * that there can't have been another content of the same date. Null where there is neither.
 */
export function strongValidator(headers: Headers): string | null {
  const { etag, lastModified } = validatorsOf(headers);
  if (etag !== null) return etag.startsWith('"') ? etag : null;
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified ?? '');
  return age >= 1000 ? lastModified : null;
}

/** Asks for the rest of a file, or for all of it where it is not the one of this validator. */
export function rangeHeaders(offset: number, validator: string): Record<string, string> {
  return { range: `bytes=${offset}-`, 'if-range': validator };
}

interface ContentRange {
  readonly start: number;
  readonly total: number;
}

/** "bytes 100-199/200"; undefined where it makes no sense, or does not say of how much. */
export function parseContentRange(value: string | null): ContentRange | undefined {
  const [, start, end, total] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? []).map(Number);
  if (start === undefined || end === undefined || total === undefined) return undefined;
  return start <= end && end < total ? { start, total } : undefined;
}

/** Of Content-Length; null where there is none. */
export function parseLength(value: string | null): number | null {
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : null;
}

/** Of Retry-After, seconds or a date, in milliseconds; 0 where there is none that makes sense. */
export function parseRetryAfter(value: string | null, now: number): number {
  if (/^\d{1,9}$/.test(value ?? '')) return Number(value) * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
