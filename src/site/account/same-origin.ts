/**
 * Whether a request that changes something comes from a page of this site. Browsers say it twice: in Origin, which must
 * be the site's own wherever it is sent, and in Sec-Fetch-Site; a request that has neither is refused.
 */

import type { Request } from 'express';
import { isLoopback } from '../../base/private-addresses.js';

export function isSameOrigin({ headers }: Request, siteUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined && !isOurs(origin, new URL(siteUrl))) return false;
  const site = headers['sec-fetch-site'];
  return site === undefined ? origin !== undefined : site === 'same-origin' || site === 'none';
}

/** On loopback, `localhost` and `127.0.0.1` are names of the same site. */
function isOurs(origin: string, { origin: own, hostname, protocol, port }: URL): boolean {
  if (origin === own) return true;
  if (!isLoopback(hostname) || !URL.canParse(origin)) return false;
  const other = new URL(origin);
  return other.origin === origin && isLoopback(other.hostname) && other.protocol === protocol && other.port === port;
}
