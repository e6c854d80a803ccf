/**
 * The admin server, on its own address, which clients can't reach: liveness (`/healthz`), readiness (`/readyz`),
 * metrics (`/metrics`) and version (`/version`).
 */
import { createServer, type Server } from 'node:http';
import type { Verdict } from './server-state.js';

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

/** A server that does not listen yet. */
export function createAdminServer({ liveness, readiness, metrics, version }: AdminSources): Server {
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
    const { status, type, text } = await answer(path, request.method === 'GET' || request.method === 'HEAD');
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

function judged({ isGood, report }: Verdict): AdminResponse {
  return json(isGood ? 200 : 503, report);
}

function json(status: number, body: object): AdminResponse {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` };
}
