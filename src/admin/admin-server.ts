/**
 * What operators and orchestrators ask, on an address of its own so that clients never reach it: is the process alive
 * (`/healthz`), and what does it serve and how (`/readyz`). A key store that can't be asked makes it `degraded` and not
 * unready: keys seen lately are still served, and taking every server out of service would end that.
 */

import { createServer, type Server } from 'node:http';
import type { KeyStoreHealth } from '../keys/key-store.js';

export interface AdminSources {
  /** What is served now. */
  readonly snapshot: () => { readonly release: string; readonly id: string };
  readonly keyStore: () => KeyStoreHealth;
}

/** Made, not listening. */
export function createAdminServer({ snapshot, keyStore }: AdminSources): Server {
  const answers: Readonly<Record<string, () => object>> = {
    '/healthz': () => ({ status: 'ok' }),
    '/readyz': () => {
      const { release, id } = snapshot();
      const store = keyStore();
      return { status: store.state, snapshot: { release, id }, keyStore: store };
    },
  };
  return createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const status = answer === undefined ? 404 : isRead ? 200 : 405;
    const body = Buffer.from(
      `${JSON.stringify(status === 200 && answer !== undefined ? answer() : { status: 'no such question' })}\n`,
    );
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}
