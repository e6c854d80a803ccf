/** The site's responses to requests that are refused before routing: a status and one line. */

import type { Refusal } from '../../server/refusals.js';

const REFUSALS: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  malformed: [400, 'The request is not well-formed HTTP.'],
  'unencoded-url': [400, 'The URL holds a character that must be percent-encoded as UTF-8.'],
  'headers-too-large': [431, 'The URL and headers together are too large.'],
  'too-slow': [408, 'The request was not complete in time.'],
  tunnel: [405, 'This is no proxy.'],
  unroutable: [404, 'There is no page at this address.'],
  'chunk-flood': [413, 'The body has too many small chunks.'],
  'url-too-long': [414, 'The URL is too long.'],
  'no-host': [400, 'The request has no Host header.'],
  'several-hosts': [400, 'The request has more than one Host header.'],
  'chunked-upgrade': [400, 'A request with Upgrade can have no Transfer-Encoding here.'],
};

export function refusalText(refusal: Refusal): { readonly status: number; readonly text: string } {
  const [status, text] = REFUSALS[refusal];
  return { status, text: `${text}\n` };
}
