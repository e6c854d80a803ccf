/** The headers of conditional and partial requests and of their answers (RFC 9110, 13 and 14). */

/** The validators that a server gave; null where it gave none, or one that can't be sent back. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export function validatorsOf(headers: Headers): Validators {
  return { etag: sendable(headers.get('etag')), lastModified: sendable(headers.get('last-modified')) };
}

/** The value where it is text that a request header can hold; null otherwise. */
export function sendable(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,200}$/.test(value) ? value : null;
}

/** Headers that ask for a file unless it is still the one of these validators. Empty where both are null. */
export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/**
 * The validator that identifies an answer's content byte for byte, for If-Range: a strong ETag, or a date that was a
 * second old, so that no other content can have the same date. Null where the answer has neither.
 */
export function strongValidator(headers: Headers): string | null {
  const { etag, lastModified } = validatorsOf(headers);
  if (etag !== null) return etag.startsWith('"') ? etag : null;
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified ?? '');
  return age >= 1000 ? lastModified : null;
}

/** Headers that ask for the rest of a file, or for the whole file where it is not the one of this validator. */
export function rangeHeaders(offset: number, validator: string): Record<string, string> {
  return { range: `bytes=${offset}-`, 'if-range': validator };
}

interface ContentRange {
  readonly start: number;
  readonly total: number;
}

/** Of "bytes 100-199/200"; undefined where the value makes no sense, or lacks the total. */
export function parseContentRange(value: string | null): ContentRange | undefined {
  const [, start, end, total] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? []).map(Number);
  if (start === undefined || end === undefined || total === undefined) return undefined;
  return start <= end && end < total ? { start, total } : undefined;
}

/** The value of Content-Length; null where the answer has none. */
export function parseLength(value: string | null): number | null {
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : null;
}

/** Retry-After, in seconds or as a date, in milliseconds from `now`; 0 where the value is missing or makes no sense. */
export function parseRetryAfter(value: string | null, now: number): number {
  if (/^\d{1,9}$/.test(value ?? '')) return Number(value) * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
