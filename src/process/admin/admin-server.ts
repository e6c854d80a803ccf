/**
 * The admin server, on its own address, which clients can't reach: liveness (`/healthz`), readiness (`/readyz`),
 * metrics (`/metrics`) and version (`/version`).
 */

import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { packageVersion } from '../../base/package-root.js';
import { FORMAT_VERSION } from '../../core/snapshot/sections.js';
import type { Verdict } from './server-state.js';

/** The response to `/version`: the program's versions, and the newest snapshot format that it reads. */
export function adminVersionReport(): object {
  return { version: packageVersion(), node: process.versions.node, snapshotFormat: FORMAT_VERSION };
}

export interface AdminSources {
  readonly liveness: () => Verdict;
  readonly readiness: () => Promise<Verdict>;
  /** In Prometheus' text format; absent on the site. */
  readonly metrics?: () => Promise<string>;
  readonly version: object;
}

interface AdminResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MISDIRECTED = json(421, {
  status: 'misdirected',
  problem: 'the Host header must have an IP address, localhost or the name in ADMIN_HOST',
});

/** A server that does not listen yet; `adminHost` is where it will. */
export function createAdminServer({ liveness, readiness, metrics, version }: AdminSources, adminHost: string): Server {
  const endpoints: Readonly<Record<string, () => AdminResponse | Promise<AdminResponse>>> = {
    '/healthz': () => judged(liveness()),
    '/readyz': async () => judged(await readiness()),
    ...(metrics && { '/metrics': async () => ({ status: 200, type: METRICS_TYPE, text: await metrics() }) }),
    '/version': () => json(200, version),
  };

  async function answer(path: string, isRead: boolean): Promise<AdminResponse> {
    const respond = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    if (respond === undefined) return json(404, { status: 'not found' });
    if (!isRead) return json(405, { status: 'read-only' });
    try {
      return await respond();
    } catch (error) {
      return json(500, { status: 'failed', problem: (error as Error).message });
    }
  }

  return createServer(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isMeant = isOwnHost(request.headers.host, adminHost);
    const { status, type, text } = isMeant ? await answer(path, isRead) : MISDIRECTED;
    const body = Buffer.from(text);
    response.writeHead(status, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}

/**
 * Whether a request with this Host header is meant for this server. A web page whose name its owner points at this
 * machine (DNS rebinding) sends that name, so names must be known; an address can't be pointed elsewhere, and kubelet and
 * Prometheus send the pod's. Every browser sends a Host; a probe of HTTP/1.0 may have none.
 */
function isOwnHost(header: string | undefined, adminHost: string): boolean {
  if (header === undefined) return true;
  const host = header.toLowerCase().replace(/:\d*$/, '');
  return host === 'localhost' || host === adminHost.toLowerCase() || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function judged({ isGood, report }: Verdict): AdminResponse {
  return json(isGood ? 200 : 503, report);
}

function json(status: number, body: object): AdminResponse {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` };
}
