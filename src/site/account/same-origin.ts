/**
 * Whether a request that changes something comes from a page of ours. Browsers say so in Sec-Fetch-Site; of those that do
 * not, Origin has to be our own. What a browser can't be made to send from elsewhere is no danger.
 */
import type { Request } from 'express';

export function isSameOrigin({ headers }: Request, siteUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === new URL(siteUrl).origin;
}
