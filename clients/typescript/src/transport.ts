/**
 * How the client asks: the address of a request, its key, how long a call may take, and when it is tried again. Only what
 * is sure to do no harm and may help is tried again: 503 and SERVICE_RATE_LIMITED, a bounded number of times, each after
 * the seconds that the server asks for, and within the time of the call. A redirect is never followed, since it could take
 * the key elsewhere.
 */
import { readAnswer } from './answer.js';
import { PostalPlacesError } from './error.js';

export interface ClientOptions {
  /** Address of the service, such as `https://api.example.com`; a path behind it is kept. */
  baseUrl: string;
  /** Sent as `x-api-key`. In a web page anybody can read it. */
  apiKey: string;
  /** How long a call may take in all, milliseconds: requests, answers, waits, and what is tried again. Default: 30,000. */
  timeoutMs?: number;
  /** How often a request is tried again. Default: 2. */
  maxRetries?: number;
  /** Where the server asks to wait longer than so many seconds, the call is given up at once. Default: 30. */
  maxWaitSeconds?: number;
  /** Told of every answer: its headers say, for example, what is left of the quota. */
  onResponse?: (response: Response) => void;
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Ends the call, also while it waits for the next attempt. The promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
  /** As of the client, for this call. */
  timeoutMs?: number;
}

/** What a page of places has. */
interface Page<Item> {
  items: Item[];
  hasNextPage: boolean;
}

type Value = string | number | boolean | readonly string[] | undefined;

/** What one call may take. */
interface Call {
  readonly endMs: number;
  readonly timeout: AbortSignal;
  /** Of the caller. */
  readonly given: AbortSignal | undefined;
  /** Either of them. */
  readonly signal: AbortSignal;
}

const DEFAULT_WAIT_SECONDS = 1;

/** The longest `timeoutMs`: a day, which every timer can take. */
const LONGEST_TIMEOUT_MS = 86_400_000;

export class Transport {
  readonly #baseUrl: string;
  readonly #options: Required<Pick<ClientOptions, 'apiKey' | 'timeoutMs' | 'maxRetries' | 'maxWaitSeconds'>>;
  readonly #fetch: typeof fetch;
  readonly #onResponse: ((response: Response) => void) | undefined;

  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, timeoutMs = 30_000, maxRetries = 2, maxWaitSeconds = 30, onResponse } = options;
    if (!isAddress(baseUrl)) throw invalid('baseUrl must be an http or https address without user, query and fragment');
    if (!/^[!-~]+$/.test(apiKey)) throw invalid('apiKey must be one or more visible ASCII characters');
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#options = { apiKey, timeoutMs: checkTimeout(timeoutMs), maxRetries, maxWaitSeconds };
    // A browser's fetch must be called as a function of the window.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#onResponse = onResponse;
  }

  /**
   * The data of the answer. `template` has the names of path parameters in braces; the other parameters are the query.
   * With a body the request is a POST. A request that is tried again was not counted.
   */
  async call<Data>(
    template: string,
    parameters: Readonly<Record<string, Value>>,
    options: RequestOptions,
    body?: object,
  ): Promise<Data> {
    const url = this.#baseUrl + toTarget(template, parameters);
    const text = body && toJson(body);
    const call = beginCall(checkTimeout(options.timeoutMs ?? this.#options.timeoutMs), options.signal);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(url, text, call);
      if (!(outcome instanceof PostalPlacesError)) return outcome.data as Data;
      const waitSeconds = outcome.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS * 2 ** attempt;
      const mayRetry = outcome.status === 503 || outcome.code === 'SERVICE_RATE_LIMITED';
      const leftSeconds = Math.max(0, call.endMs - performance.now()) / 1000;
      const isTooLong = waitSeconds > Math.min(this.#options.maxWaitSeconds, leftSeconds);
      if (!mayRetry || attempt >= this.#options.maxRetries || isTooLong) throw outcome;
      await wait(waitSeconds * 1000, call.given);
    }
  }

  async #attempt(
    url: string,
    body: string | undefined,
    call: Call,
  ): Promise<{ readonly data: unknown } | PostalPlacesError> {
    const headers = { 'x-api-key': this.#options.apiKey, accept: 'application/json' };
    const init = { headers, signal: call.signal, redirect: 'manual' } as const;
    const sent = { ...init, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const response = await whole(call, () => this.#fetch(url, body === undefined ? init : (sent as RequestInit)));
    this.#onResponse?.(response);
    return await whole(call, () => readAnswer(response));
  }
}

function beginCall(timeoutMs: number, given: AbortSignal | undefined): Call {
  // It takes whole milliseconds only.
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const signal = given === undefined ? timeout : AbortSignal.any([given, timeout]);
  return { endMs: performance.now() + timeoutMs, timeout, given, signal };
}

/** What `step` gives. Rejects with the caller's reason where the caller ended the call, else with PostalPlacesError. */
async function whole<Result>({ timeout, given }: Call, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof PostalPlacesError) throw cause;
    if (given?.aborted) throw given.reason;
    if (timeout.aborted) throw new PostalPlacesError('The answer did not come in time.', 'TIMEOUT', { cause });
    throw new PostalPlacesError(`No whole answer came: ${cause}`, 'CONNECTION_FAILED', { cause });
  }
}

/** The items of all pages from `first` on, each page asked for when it is reached. */
export async function* iteratePages<Item>(
  first: number | undefined,
  fetchPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let page = first ?? 1; ; page++) {
    const { items, hasNextPage } = ((await fetchPage(page)) ?? {}) as Partial<Page<Item>>;
    // Pages without places that have a next page would be asked for without end.
    if (!Array.isArray(items) || (items.length === 0 && hasNextPage)) {
      throw new PostalPlacesError('The answer is no page of places.', 'UNEXPECTED_ANSWER');
    }
    yield* items;
    if (!hasNextPage) return;
  }
}

function isAddress(text: string): boolean {
  // No URL.canParse: Node 20.3 has it, browsers of that year do not.
  try {
    const { protocol, username, password, search, hash } = new URL(text);
    return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
  } catch {
    return false;
  }
}

function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS) return timeoutMs;
  throw invalid(`timeoutMs must be above 0 and at most ${LONGEST_TIMEOUT_MS}, and not ${timeoutMs}`);
}

function invalid(message: string, cause?: unknown): PostalPlacesError {
  return new PostalPlacesError(message, 'INVALID_ARGUMENT', { cause });
}

/** Path and query. */
function toTarget(template: string, parameters: Readonly<Record<string, Value>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || template.includes(`{${name}}`)) continue;
    query.set(name, typeof value === 'number' ? toDecimal(name, value) : String(value));
  }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(parameters[name] ?? '');
    // As segments of a path these would ask for something else.
    if (['', '.', '..'].includes(text)) throw invalid(`${name} must be given, and not be "${text}"`);
    try {
      return encodeURIComponent(text);
    } catch (cause) {
      throw invalid(`${name} has half of a surrogate pair`, cause);
    }
  });
  const text = String(query);
  return text === '' ? path : `${path}?${text}`;
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw invalid('what is sent must be JSON', cause);
  }
}

/** Without exponent, which the API does not read. */
function toDecimal(name: string, value: number): string {
  if (!Number.isFinite(value)) throw invalid(`${name} must be a finite number, and not ${value}`);
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
