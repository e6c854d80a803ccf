/** What the tests in a real browser have in common: the browser, what it complains of, and what axe-core finds. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PHONE = { viewport: { width: 360, height: 740 } };

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** Tells `complain` of errors and warnings of the page from now on; those that `isExpected` are left out. */
export function hearComplaints(
  page: Page,
  complain: (text: string) => void,
  isExpected: (text: string) => boolean = () => false,
): void {
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !isExpected(text)) complain(text);
  });
  page.on('pageerror', (error) => complain(error.message));
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
