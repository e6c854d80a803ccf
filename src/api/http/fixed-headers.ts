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
import { countAdmissible, intervalMs, untilAdmissibleMs, untilNextMs } from '../../base/rate-limit.js';
import type { KeyLimits, LimitRefusal } from '../../keys/key-decision.js';
import type { Plan } from '../../keys/plan.js';

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

/*
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 defines them: what a key's plan allows,
 * and what is left of it after this request. Two policies at most: `burst`, what may come at once and how long an idle
 * key needs for it in seconds, and `month`, the quota of the current calendar month. A plan without limits has neither
 * header. The policy's text is made once for each plan and month.
 *
 *     RateLimit-Policy: "burst";q=100;w=2, "month";q=10000;w=2592000
 *     RateLimit: "burst";r=99;t=1, "month";r=9999;t=806400
 *
 * `q` and `r` count requests; `w` and `t`, the time until there is more than `r`, are whole seconds, rounded up.
 */

const policies = new WeakMap<Plan, { readonly monthMs: number; readonly text: string }>();

/** Adds both headers to a flat list of names and values. */
export function pushRateLimitHeaders(headers: string[], limits: KeyLimits): void {
  const policy = policyText(limits);
  if (policy !== '') headers.push('ratelimit-policy', policy, 'ratelimit', stateText(limits));
}

/** Whole seconds after which a refused request that takes `cost` units may succeed, at least 1. */
export function retryAfterSeconds(
  reason: LimitRefusal,
  { plan, nowMs, month, arrivalMs }: KeyLimits,
  cost = 1,
): number {
  const rate = reason === 'rate-limited' ? plan.rate : null;
  const waitMs = rate === null ? month.endMs - nowMs : untilAdmissibleMs(rate, arrivalMs, nowMs, cost);
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** Units of the rate, or of the quota, that are left. */
export function leftUnits(reason: LimitRefusal, { plan, nowMs, used, arrivalMs }: KeyLimits): number {
  const { rate, requestsPerMonth } = plan;
  if (reason === 'quota-exceeded') return Math.max(0, (requestsPerMonth ?? Infinity) - used);
  return rate === null ? Infinity : countAdmissible(rate, arrivalMs, nowMs);
}

function policyText({ plan, month }: KeyLimits): string {
  const monthMs = month.endMs - month.startMs;
  const known = policies.get(plan);
  if (known?.monthMs === monthMs) return known.text;
  const items: string[] = [];
  if (plan.rate !== null) {
    const windowSeconds = Math.ceil((plan.rate.burst * intervalMs(plan.rate)) / 1000);
    items.push(`"burst";q=${plan.rate.burst};w=${windowSeconds}`);
  }
  if (plan.requestsPerMonth !== null) items.push(`"month";q=${plan.requestsPerMonth};w=${monthMs / 1000}`);
  const text = items.join(', ');
  policies.set(plan, { monthMs, text });
  return text;
}

function stateText(limits: KeyLimits): string {
  const { plan, nowMs, month, arrivalMs } = limits;
  const burst = plan.rate === null ? '' : burstState(plan.rate, arrivalMs, nowMs);
  if (plan.requestsPerMonth === null) return burst;
  const quota = `"month";r=${leftUnits('quota-exceeded', limits)};t=${Math.ceil((month.endMs - nowMs) / 1000)}`;
  return burst === '' ? quota : `${burst}, ${quota}`;
}

function burstState(rate: NonNullable<Plan['rate']>, arrivalMs: number, nowMs: number): string {
  const left = countAdmissible(rate, arrivalMs, nowMs);
  const wait = untilNextMs(rate, arrivalMs, nowMs);
  return wait > 0 ? `"burst";r=${left};t=${Math.ceil(wait / 1000)}` : `"burst";r=${left}`;
}

/* What an empty list of suggestions tells of its text: the country without data that the text is a name or a big city of. */

export const COUNTRY_WITHOUT_DATA = 'x-country-without-data';

/** Adds the header to a flat list, and that scripts of other origins may read it: no other answer has or needs either. */
export function pushCountryWithoutData(headers: string[], code: string): void {
  headers.push(COUNTRY_WITHOUT_DATA, code, 'access-control-expose-headers', COUNTRY_WITHOUT_DATA);
}
