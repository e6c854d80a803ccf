/**
 * What the tests in a real browser have in common: the browser of the file, what it complains of, which fails the test in
 * which it comes, and what axe-core finds.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PHONE = { viewport: { width: 360, height: 740 } };

/** Of the file of tests. */
export let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
});
afterAll(() => browser?.close());

let complaints: string[] = [];
afterEach(() => expect(takeComplaints()).toEqual([]));

export function complain(text: string): void {
  complaints.push(text);
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

/** Takes errors and warnings of the page from now on for complaints; those that `isExpected` are left out. */
export function hearComplaints(
  page: Page,
  isExpected: (text: string) => boolean = () => false,
  prefix = () => '',
): void {
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !isExpected(text)) complain(prefix() + text);
  });
  page.on('pageerror', (error) => complain(prefix() + error.message));
}

/** What axe-core finds wrong: the rule and the elements. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
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
