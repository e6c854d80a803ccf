/**
 * The headers of every response. The Content-Security-Policy allows a page to load from its own origin only, and no
 * inline script or style; only pages on which calls are tried may call the API, which is another origin.
 * Strict-Transport-Security is left to the operator's TLS proxy.
 */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const REFERRER_POLICY = 'strict-origin-when-cross-origin';
const FIXED_HEADERS = [
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', REFERRER_POLICY],
  ...['cross-origin-opener-policy', 'same-origin'],
  ...['cross-origin-resource-policy', 'same-origin'],
  ...['permissions-policy', 'geolocation=(self), camera=(), microphone=()'],
];

/** As a flat list of names and values. */
export const PAGE_HEADERS: readonly string[] = ['content-security-policy', POLICY, ...FIXED_HEADERS];

/**
 * Of a page whose address may hold a code. (Under `no-referrer` a browser's own forms would have the Origin "null".)
 */
export const PRIVATE_HEADERS: readonly string[] = PAGE_HEADERS.map((text) =>
  text === REFERRER_POLICY ? 'same-origin' : text,
);

/** Of a script that pages of other sites load, with a check of its bytes. */
export const SHARED_HEADERS: readonly string[] = [
  ...PAGE_HEADERS.map((text, at) => (PAGE_HEADERS[at - 1] === 'cross-origin-resource-policy' ? 'cross-origin' : text)),
  ...['access-control-allow-origin', '*'],
];

/** Of a page that calls the API. */
export function callerHeaders(apiOrigin: string): readonly string[] {
  return [
    'content-security-policy',
    POLICY.replace("connect-src 'self'", `connect-src 'self' ${apiOrigin}`),
    ...FIXED_HEADERS,
  ];
}
