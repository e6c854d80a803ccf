/**
 * What the tests in a real browser have in common: the browser of the file, what it complains of, which fails the test in
 * which it comes, and what axe-core finds.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PHONE = { viewport: { width: 360, height: 740 } };

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
});
afterAll(() => browser?.close());

let complaints: string[] = [];
/** Those of the test that runs; undefined between tests. */
let contexts: BrowserContext[] | undefined;
beforeEach(() => {
  contexts = [];
});
afterEach(async () => {
  for (const context of contexts ?? []) await context.close();
  contexts = undefined;
  expect(takeComplaints()).toEqual([]);
});

/** What is heard of a page. */
interface Hearing {
  /** Whether an error or warning is none to complain of. */
  isExpected?(text: string): boolean;
  /** The addresses that the page may ask, where not all. */
  mayAsk?(url: string): boolean;
}

/**
 * A page in a context of its own, which is closed after the test, or after all tests where none runs yet. Its errors and
 * warnings are complaints.
 */
export async function openPage(
  options: BrowserContextOptions = {},
  { isExpected = () => false, mayAsk = () => true }: Hearing = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  contexts?.push(context);
  const page = await context.newPage();
  const complainOf = (text: string): void => void complaints.push(`${text} [${page.url()}]`);
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !isExpected(text)) complainOf(text);
  });
  page.on('pageerror', ({ message }) => complainOf(message));
  page.on('request', (request) => {
    if (!mayAsk(request.url())) complainOf(request.url());
  });
  return page;
}

/** Forgets the complaints so far that are like this, which are expected. */
export function forgiveComplaints(expected: RegExp): void {
  complaints = complaints.filter((text) => !expected.test(text));
}

/** The complaints so far, which are expected. */
export function takeComplaints(): string[] {
  const found = complaints;
  complaints = [];
  return found;
}

/** What axe-core finds wrong: the rule and the elements. */
export async function findFaults(page: Page): Promise<string[]> {
  // Half a megabyte, once for each page.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  return await page.evaluate(async () => {
    interface Faults {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    }
    const { axe, document } = globalThis as unknown as {
      readonly document: unknown;
      axe: { run(context: unknown, options: object): Promise<Faults> };
    };
    // Not what it finds right, which takes as long again to write down.
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** How far the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
