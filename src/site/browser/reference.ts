/** The script of the reference: forms to try calls, the reader's own key and plan, one language for all examples. */

import { type AccountKey, readAccountKeys, revealKey } from './account-keys.js';

/*
 * The API key of this tab: typed, or that of the signed-in reader. All fields for it show the same key. It is kept in
 * the tab's session storage, so that it outlives a reload and goes with the tab, and stands in no address.
 */

const STORED = 'api-key';

/** `id` is the id of a key of the reader's account, '' for a typed key. */
interface StoredKey {
  readonly key: string;
  readonly id: string;
}

/** Puts the stored key into the fields, and stores what is typed into one of them. */
function shareKey(fields: readonly HTMLInputElement[]): void {
  const { key } = readStored();
  for (const field of fields) {
    field.value = key;
    field.addEventListener('input', () => setKey(fields, field.value.trim(), ''));
  }
}

function setKey(fields: readonly HTMLInputElement[], key: string, id: string): void {
  for (const field of fields) if (field.value.trim() !== key) field.value = key;
  try {
    if (key === '') sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify({ key, id } satisfies StoredKey));
  } catch {
    // Where a browser allows no storage, the fields keep the key until the page is left.
  }
}

/** Forgets the key of an account that the reader has signed out of. */
function forgetForeignKey(fields: readonly HTMLInputElement[], keys: readonly AccountKey[]): void {
  const { id } = readStored();
  if (id !== '' && !keys.some((known) => known.id === id)) setKey(fields, '', '');
}

function readStored(): StoredKey {
  const none = { key: '', id: '' };
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') ?? none;
  } catch {
    // No storage is allowed, or no JSON was stored under this name.
    return none;
  }
}

/*
 * Sends the call of a form of the reference from the reader's browser to the API, and shows the response: status, time,
 * size, the headers that tell something, and the body.
 */

/** The headers that are shown if a response has them; the API lets scripts read these. */
const SHOWN_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after', 'etag', 'x-dataset-release', 'x-correlation-id'];
/** Milliseconds after which a call is given up: far longer than the API takes. */
const TIMEOUT_MS = 30_000;
/** Characters of a body that are shown: a page of 100 places has fewer; more would only slow the browser. */
const SHOWN_CHARACTERS = 300_000;

/** Shows the form, which is hidden without a script. */
function offerTrying(details: HTMLDetailsElement, apiUrl: string): void {
  const form = details.querySelector('form');
  if (form === null) return;
  details.hidden = false;
  const result = document.createElement('div');
  result.className = 'result';
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  const shown = document.createElement('div');
  result.append(status, shown);
  form.after(result);
  let pending: AbortController | undefined;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    pending?.abort();
    const own = new AbortController();
    pending = own;
    status.textContent = 'Sending …';
    shown.replaceChildren();
    const startMs = performance.now();
    try {
      const signal = AbortSignal.any([own.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      // A cached response would tell nothing about time and quota.
      const response = await fetch(requestOf(form, apiUrl, signal), { cache: 'no-store' });
      const text = await response.text();
      const ms = performance.now() - startMs;
      status.textContent = [statusOf(response, text), `${ms.toFixed(ms < 10 ? 1 : 0)} ms`, sizeOf(text)].join(' · ');
      shown.replaceChildren(headersOf(response), bodyOf(text));
    } catch (error) {
      // A newer call of this form has replaced this one.
      if (own.signal.aborted) return;
      status.textContent = `No response: ${(error as Error).message}`;
    }
  });
}

function requestOf(form: HTMLFormElement, apiUrl: string, signal: AbortSignal): Request {
  const { method = 'GET', path = '' } = form.dataset;
  const query = new URLSearchParams();
  const headers = new Headers();
  let filled = path;
  let body: string | null = null;
  for (const field of form.querySelectorAll<HTMLInputElement>('input, select, textarea')) {
    const { name, value, dataset } = field;
    if (field.classList.contains('api-key')) headers.set('x-api-key', value.trim());
    else if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === 'body') body = value;
    // An optional parameter that is empty is not sent.
    else if (value !== '') query.set(name, value);
  }
  if (body !== null) headers.set('content-type', 'application/json');
  const target = query.size === 0 ? filled : `${filled}?${query}`;
  return new Request(apiUrl + target, { method, headers, body, signal });
}

/** Such as "404 POSTCODE_NOT_FOUND". */
function statusOf({ status }: Response, text: string): string {
  const [, code = ''] = status < 400 ? [] : (/"code":"(\w+)"/.exec(text) ?? []);
  return `${status} ${code}`.trim();
}

function sizeOf(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`;
}

function headersOf({ headers }: Response): HTMLElement {
  const list = document.createElement('dl');
  for (const name of SHOWN_HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    const row = document.createElement('div');
    const [term, text] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    text.textContent = value;
    row.append(term, text);
    list.append(row);
  }
  return list;
}

function bodyOf(text: string): HTMLElement {
  const details = document.createElement('details');
  details.open = true;
  const summary = document.createElement('summary');
  summary.textContent = 'Response';
  const block = document.createElement('pre');
  block.tabIndex = 0;
  const code = document.createElement('code');
  const pretty = indented(text);
  code.textContent =
    pretty.length <= SHOWN_CHARACTERS ? pretty : `${pretty.slice(0, SHOWN_CHARACTERS)}\n… the rest is not shown`;
  block.append(code);
  details.append(summary, block);
  return details;
}

/** The unchanged text if it is no JSON. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const article = document.querySelector<HTMLElement>('.reference');
const keyFields = [...document.querySelectorAll<HTMLInputElement>('input.api-key')];

shareKey(keyFields);
for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
  offerTrying(details, article?.dataset.api ?? '');
}
for (const details of document.querySelectorAll<HTMLDetailsElement>('details.example')) {
  details.addEventListener('toggle', () => openSameLanguage(details));
}
if (article?.dataset.accounts !== undefined) {
  // Without an answer, the page stays that of a reader who is not signed in.
  offerAccount().catch((error: unknown) => console.warn('the account was not asked', error));
}

/** Opens the same language in the examples of the other calls; the group of each closes the language that was open. */
function openSameLanguage(opened: HTMLDetailsElement): void {
  if (!opened.open) return;
  const languageOf = (details: Element): string => details.querySelector('summary')?.textContent ?? '';
  const top = opened.getBoundingClientRect().top;
  for (const other of document.querySelectorAll<HTMLDetailsElement>('details.example')) {
    if (!other.open && languageOf(other) === languageOf(opened)) other.open = true;
  }
  // Keeps the opened example where the reader sees it, although examples above have grown.
  window.scrollBy(0, opened.getBoundingClientRect().top - top);
}

async function offerAccount(): Promise<void> {
  const { keys, isFresh } = await readAccountKeys();
  forgetForeignKey(keyFields, keys);
  const [key] = keys;
  if (key === undefined) return;
  for (const line of document.querySelectorAll<HTMLElement>('p.plan')) {
    line.textContent = `Your key “${key.name}” is on the plan ${key.plan}.`;
    line.hidden = false;
  }
  for (const { form } of keyFields) form?.append(isFresh ? useButton(key) : signInLink());
}

function useButton(key: AccountKey): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Use my key';
  button.addEventListener('click', async () => {
    try {
      const clearKey = await revealKey(key.id);
      if (clearKey === undefined) button.replaceWith(signInLink());
      else setKey(keyFields, clearKey, key.id);
    } catch {
      button.textContent = 'The site was not reached: try again';
    }
  });
  return button;
}

function signInLink(): HTMLElement {
  const link = document.createElement('a');
  link.href = '/account';
  link.textContent = 'Sign in again to use your key';
  return link;
}
