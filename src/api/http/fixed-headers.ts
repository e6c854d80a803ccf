/**
 * The headers every response carries whatever was asked: CORS open to every origin unless a publishable key was sent, and
 * security headers suited to an API that answers JSON and never a page. `cors` and `helmet` define them; they run once,
 * against a response that goes nowhere, and what they set is kept as a flat list for `send`. Setting the same constants
 * one by one on every request costs a fifth of the requests per second.
 */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { CorsOptions } from 'cors';
import cors from 'cors';
import type { RequestHandler } from 'express';
import type { HelmetOptions } from 'helmet';
import helmet from 'helmet';

const PREFLIGHT_LIFETIME_SECONDS = 86_400;

export const EXPOSED_HEADERS = [
  'x-correlation-id',
  'x-dataset-release',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'x-total-count',
  'Link',
];

const corsOptions: CorsOptions = {
  origin: '*',
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: PREFLIGHT_LIFETIME_SECONDS,
};

const helmetOptions: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // CORS is open, so pages of other sites may embed the answers too.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // This process speaks plain HTTP. The operator who puts TLS in front also decides for how long, and for which of the
  // domain's other hosts, browsers must insist on it.
  strictTransportSecurity: false,
  // These speak to documents, plug-ins or browsers of the past; an answer in JSON is none of them. Every header is paid
  // for on every request.
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  // The policy's frame-ancestors says the same.
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/** The fixed headers as a flat list of names and values. */
export function recordFixedHeaders(): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  for (const middleware of [cors(corsOptions), helmet(helmetOptions)]) {
    middleware(Object.assign(request, { method: 'GET' }), response, rethrow);
  }
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
}

const ALLOW_ORIGIN = 'access-control-allow-origin';

/**
 * The fixed headers of an answer to a publishable key: only pages of one origin may read it, or of none for null, and no
 * cache may give it to a page of another.
 */
export function fixedHeadersFor(fixedHeaders: readonly string[], origin: string | null): string[] {
  const at = fixedHeaders.indexOf(ALLOW_ORIGIN);
  const others = [...fixedHeaders.slice(0, at), ...fixedHeaders.slice(at + 2), 'vary', 'Origin'];
  return origin === null ? others : [ALLOW_ORIGIN, origin, ...others];
}

/**
 * Answers an OPTIONS request with 204, whether it is a browser's preflight or a plain question, with the methods that
 * the path answers and the headers that browsers may send. A preflight has no header with a key, so it says no more than
 * that pages may ask; whether a page may read the answer, the answer itself says. `origin` is that of the one page that
 * may ask with the key in the URL, null for none.
 */
export function createPreflight(methods: string, allowedHeaders: string[], origin?: string | null): RequestHandler {
  const allowed = origin === undefined ? corsOptions.origin : origin === null ? [] : [origin];
  return cors({ ...corsOptions, methods, allowedHeaders, origin: allowed });
}

function rethrow(error?: unknown): void {
  if (error) throw error;
}
