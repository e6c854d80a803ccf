/** Serves the table of hostile answers, and notes what came of each. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { waitUntil } from '../fixtures/wait-until.js';
import { type HostileAnswer, hostileAnswers, type Language } from './hostile-answers.js';

/** What a client made of a row. */
export interface Outcome {
  readonly code: string | null;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
}

interface Cost {
  requests: number;
  sentBytes: number;
}

export interface HostileServer {
  readonly origin: string;
  /** The rows that were asked for too often or not at all, or read too far, once every connection is closed. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A proxy's CONNECT is answered by a trickle that does not end. */
const TUNNEL = 'CONNECT';
/** What else a test asks for; a redirect that is followed would show. */
const KNOWN = [TUNNEL, 'good'];
/** The limit of the clients, and what the buffers of both ends take. */
const MOST_READ_BYTES = 96 * 1024 * 1024;

export async function startHostileServer(certificate?: Certificate): Promise<HostileServer> {
  const costs = new Map<string, Cost>();
  const open = new Set<Socket>();
  const serve = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => void open.delete(socket));
    let head = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const before = head;
      head += text;
      if (!before.includes('\r\n\r\n') && head.includes('\r\n\r\n')) reply(socket, head);
    });
  };
  const reply = (socket: Socket, head: string): void => {
    // A proxy is asked with a whole address.
    const [, method, target = ''] = /^(\S+) (?:http:\/\/[^/]+)?(\S+)/.exec(head) ?? [];
    const name = method === TUNNEL ? TUNNEL : decodeURIComponent(target.split('/')[1] ?? '');
    const cost = costs.get(name) ?? { requests: 0, sentBytes: 0 };
    costs.set(name, cost);
    cost.requests++;
    socket.once('close', () => {
      cost.sentBytes += socket.bytesWritten;
    });
    if (method === TUNNEL) void trickleReply(socket);
    else if (name === 'good') socket.end(GOOD);
    else void hostileAnswers[name]?.send(socket, cost.requests, origin);
  };
  const server: Server = certificate === undefined ? createServer(serve) : createTlsServer(certificate, serve);
  // A client that refuses the certificate, or has enough of a handshake.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    origin,
    async faults() {
      await waitUntil('every connection to be closed', () => open.size === 0);
      const unexpected = [...costs.keys()].filter((name) => !(name in hostileAnswers) && !KNOWN.includes(name));
      return [...Object.keys(hostileAnswers).flatMap((name) => faultsOf(name, costs.get(name))), ...unexpected];
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const GOOD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n\r\n{"data":["good"]}';

async function trickleReply(socket: Socket): Promise<void> {
  socket.write('HTTP/1.1 200 OK\r\n');
  for (let line = 0; line < 150 && !socket.destroyed; line++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.write('x: y\r\n');
  }
  socket.destroy();
}

function faultsOf(name: string, { requests, sentBytes }: Cost = { requests: 0, sentBytes: 0 }): string[] {
  const { requests: expected = 1 } = hostileAnswers[name] as HostileAnswer;
  const isAsked = expected === 'some' ? requests >= 1 && requests <= 4 : requests === expected;
  return [
    ...(isAsked ? [] : [`${name}: ${requests} requests`]),
    ...(sentBytes <= MOST_READ_BYTES ? [] : [`${name}: ${sentBytes} bytes`]),
  ];
}

/** What a client of this language should make of a row. */
export function expectedOutcome(name: string, language: Language): Outcome {
  const { code, status, retryAfterSeconds } = hostileAnswers[name] as HostileAnswer;
  const isOwn = typeof code !== 'string' && code[language] === 'UNEXPECTED_ANSWER';
  return {
    code: typeof code === 'string' ? code : code[language],
    status: status ?? (isOwn ? 200 : null),
    retryAfterSeconds: retryAfterSeconds ?? null,
  };
}
