/**
 * Reads an answer, whatever it is: at most so many bytes, counted when they are decompressed, and as JSON only what is
 * JSON. Costs a copy of the body.
 */
import { PostalPlacesError } from './error.js';
import type { ParameterFault } from './error-codes.js';

/** The most bytes of a body that are read. No answer of the API has 1 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * The most brackets around a value: the API's answers have at most six. V8 reads any number of them, but programs that
 * walk through the data, JSON.stringify as well, end their stack at some thousands.
 */
const MAX_DEPTH = 500;

/** The most seconds that an error tells of Retry-After, 31 years: of 5,000 digits the number would be infinite. */
const LONGEST_RETRY_AFTER = 999_999_999;

type Body = Readonly<Record<string, unknown>>;

/** The data of the answer, or the error that it tells. Rejects as its stream does, and where there are too many bytes. */
export async function readAnswer(response: Response): Promise<{ readonly data: unknown } | PostalPlacesError> {
  const body = parseBody(response.headers.get('content-type'), await readBytes(response));
  if (response.status === 200 && body.data !== undefined) return { data: body.data };
  return toError(response, body);
}

async function readBytes({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = (await reader?.read())?.value;
    if (piece === undefined) break;
    length += piece.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      throw new PostalPlacesError(`The answer has more than ${MAX_ANSWER_BYTES >> 20} MB.`, 'ANSWER_TOO_LARGE');
    }
    pieces.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Empty for what is no JSON object in UTF-8, by its type and in fact, and for what is too deep. */
function parseBody(contentType: string | null, bytes: Uint8Array): Body {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') return {};
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return isTooDeep(text) ? {} : asObject(JSON.parse(text));
  } catch {
    // Both throw over nothing but what they are given.
    return {};
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') isInString = !isInString;
    else if (isInString) {
      // What stands behind a backslash does not end the string.
      if (letter === '\\') at++;
    } else if (letter === '[' || letter === '{') {
      if (++depth > MAX_DEPTH) return true;
    } else if (letter === ']' || letter === '}') depth--;
  }
  return false;
}

function asObject(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {};
}

function toError({ status, headers, type }: Response, body: Body): PostalPlacesError {
  const { message, code, details } = asObject(body.error);
  const { correlationId } = asObject(body.metadata);
  const isTold = typeof message === 'string' && typeof code === 'string';
  const what = type === 'opaqueredirect' ? 'is a redirect' : `has the status ${status} and is not of the service`;
  return new PostalPlacesError(isTold ? message : `The answer ${what}.`, isTold ? code : 'UNEXPECTED_ANSWER', {
    status,
    correlationId: typeof correlationId === 'string' ? correlationId : (headers.get('x-correlation-id') ?? undefined),
    retryAfterSeconds: parseSeconds(headers.get('retry-after') ?? ''),
    details: isTold && Array.isArray(details) ? details.filter(isFault) : [],
  });
}

function isFault(value: unknown): value is ParameterFault {
  const { param, message, expected } = asObject(value);
  return [param, message, expected].every((text) => typeof text === 'string');
}

function parseSeconds(text: string): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), LONGEST_RETRY_AFTER) : undefined;
}
