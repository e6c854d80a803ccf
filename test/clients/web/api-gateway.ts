/**
 * Stands between the page and the API: it passes requests on, and is late, wrong or silent where a test says so. It
 * notes each request by its target, without the key.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Answers in place of the API. */
export type Answer = (response: ServerResponse, target: string) => void;

export interface ApiGateway {
  readonly origin: string;
  /** Targets of the requests since the last `reset`, such as `/v1/countries/DE/postcodes/10115`. */
  readonly targets: string[];
  /** Undefined where the API answers. */
  answer: Answer | undefined;
  /** Milliseconds before every answer. */
  delayMs: number;
  reset(): void;
  close(): Promise<void>;
}

/** `apiUrl` is asked when the first request comes. */
export async function startApiGateway(apiUrl: () => string): Promise<ApiGateway> {
  const server = createServer((request, response) => void reply(request, response));
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = (request.url ?? '').replace(/[?&]key=[^&]*/, '');
    gateway.targets.push(target);
    const { answer, delayMs } = gateway;
    if (delayMs > 0) await wait(delayMs);
    if (answer === undefined) forward(apiUrl(), request, response);
    else answer(response, target);
  };
  const gateway: ApiGateway = {
    targets: [],
    answer: undefined,
    delayMs: 0,
    origin: await listen(server),
    reset() {
      gateway.targets.length = 0;
      gateway.answer = undefined;
      gateway.delayMs = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}

/** Listens on a free port; the origin. */
export async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function forward(apiUrl: string, { url = '', method, headers }: IncomingMessage, response: ServerResponse): void {
  const { host, ...others } = headers;
  const forwarded = send(`${apiUrl}${url}`, { method, headers: others }, (answer) => {
    // What the page keeps is its own, and not the browser's.
    response.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'cache-control': 'no-store' });
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  forwarded.end();
}

/** An answer with this status and body, which every page may read. */
export function answerWith(status: number, body: string | object, contentType = 'application/json'): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType, 'access-control-allow-origin': '*' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Never answers; the connection stays open. */
export const hang: Answer = () => {};
