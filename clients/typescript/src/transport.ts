/**
 * How the client asks: the address of a request, its key, how long it may take, and when it is tried again. Only what is
 * sure to do no harm and may help is tried again: 503 and SERVICE_RATE_LIMITED, a bounded number of times, each after the
 * seconds that the server asks for. A redirect is never followed, since it could take the key elsewhere.
 */
import type { ErrorCode } from './postal-places.js';

export interface ClientOptions {
  /** Address of the service, such as `https://api.example.com`; a path behind it is kept. */
  baseUrl: string;
  /** Sent as `x-api-key`. In a web page anybody can read it. */
  apiKey: string;
  /** How long one attempt may take, milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** How often a request is tried again. Default: 2. */
  maxRetries?: number;
  /** Where the server asks to wait longer than so many seconds, the request is given up at once. Default: 30. */
  maxWaitSeconds?: number;
  /** Told of every answer: its headers say, for example, what is left of the quota. */
  onResponse?: (response: Response) => void;
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Ends the request, and the wait before the next attempt. The promise is rejected with its reason. */
  signal?: AbortSignal;
  /** As of the client, for this request. */
  timeoutMs?: number;
}

/** What a page of places has. */
interface Page<Item> {
  items: Item[];
  pageNumber: number;
  hasNextPage: boolean;
}

type Value = string | number | boolean | undefined;

/** What the server answered instead of data. What `fetch` throws is thrown on as it is, and is none of these. */
export class PostalPlacesError extends Error {
  override readonly name = 'PostalPlacesError';

  constructor(
    message: string,
    /** `UNEXPECTED_ANSWER` where the answer is not of the service, but of a proxy before it, say. */
    readonly code: ErrorCode | 'UNEXPECTED_ANSWER' | (string & {}),
    readonly status: number,
    /** Quote it to support. */
    readonly correlationId: string | undefined,
    /** Whole seconds after which the request may succeed, where the server tells. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }
}

const DEFAULT_WAIT_SECONDS = 1;

export class Transport {
  readonly #baseUrl: string;
  readonly #options: Required<Pick<ClientOptions, 'apiKey' | 'timeoutMs' | 'maxRetries' | 'maxWaitSeconds'>>;
  readonly #fetch: typeof fetch;
  readonly #onResponse: ((response: Response) => void) | undefined;

  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, timeoutMs = 10_000, maxRetries = 2, maxWaitSeconds = 30, onResponse } = options;
    const { protocol, search, hash } = new URL(baseUrl);
    if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') {
      throw new TypeError(`baseUrl must be an http or https address without query: ${baseUrl}`);
    }
    if (apiKey === '') throw new TypeError('apiKey is empty');
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#options = { apiKey, timeoutMs, maxRetries, maxWaitSeconds };
    // A browser's fetch must be called as a function of the window.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#onResponse = onResponse;
  }

  /** The data of the answer. `template` has the names of path parameters in braces. */
  async get<Data>(
    template: string,
    path: Readonly<Record<string, Value>>,
    query: Readonly<Record<string, Value>>,
    options: RequestOptions,
  ): Promise<Data> {
    const url = this.#baseUrl + fillPath(template, path) + toSearch(query);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt<Data>(url, options);
      if (!(outcome instanceof PostalPlacesError)) return outcome.data;
      const waitSeconds = outcome.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS * 2 ** attempt;
      const mayRetry = outcome.status === 503 || outcome.code === 'SERVICE_RATE_LIMITED';
      if (!mayRetry || attempt >= this.#options.maxRetries || waitSeconds > this.#options.maxWaitSeconds) throw outcome;
      await wait(waitSeconds * 1000, options.signal);
    }
  }

  async #attempt<Data>(url: string, options: RequestOptions): Promise<{ data: Data } | PostalPlacesError> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
    const headers = { 'x-api-key': this.#options.apiKey, accept: 'application/json' };
    const response = await this.#fetch(url, { headers, signal, redirect: 'error' });
    this.#onResponse?.(response);
    const body = parseJson(await response.text());
    if (response.status === 200 && body?.data !== undefined) return { data: body.data as Data };
    return toError(response, body);
  }
}

/** The items of all pages from `first` on, each page asked for when it is reached. */
export async function* iteratePages<Item>(
  first: number | undefined,
  fetchPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let page = first ?? 1; ; page++) {
    const { items, hasNextPage } = await fetchPage(page);
    yield* items;
    if (!hasNextPage) return;
  }
}

function fillPath(template: string, path: Readonly<Record<string, Value>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(path[name] ?? '');
    // As segments of a path these would ask for something else.
    if (['', '.', '..'].includes(text)) throw new TypeError(`${name} must be given, and not be "${text}"`);
    return encodeURIComponent(text);
  });
}

function toSearch(query: Readonly<Record<string, Value>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, typeof value === 'number' ? toDecimal(name, value) : String(value));
  }
  const text = String(parameters);
  return text === '' ? '' : `?${text}`;
}

/** Without exponent, which the API does not read. */
function toDecimal(name: string, value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${name} must be a finite number, and not ${value}`);
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

function toError(response: Response, body: Body | undefined): PostalPlacesError {
  const { status, headers } = response;
  const error = body?.error;
  const retryAfter = headers.get('retry-after') ?? '';
  return new PostalPlacesError(
    error?.message ?? `The answer has the status ${status} and is not of the service.`,
    error?.code ?? 'UNEXPECTED_ANSWER',
    status,
    body?.metadata?.correlationId ?? headers.get('x-correlation-id') ?? undefined,
    /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
  );
}

interface Body {
  data?: unknown;
  error?: { message: string; code: string };
  metadata?: { correlationId?: string };
}

/** Undefined for what is no JSON object. */
function parseJson(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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
