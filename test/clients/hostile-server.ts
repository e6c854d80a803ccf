/**
 * One table of what a hostile server, or a broken proxy, may send instead of an answer, and of what a client makes of it;
 * and the server that sends it and notes what came of each row. The clients of both languages go through the table: the
 * path of the address that a client is given names the row.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { waitUntil } from '../fixtures/wait-until.js';

export type Language = 'typescript' | 'python';

/** What a client is asked for: one answer, or all pages of a list. */
export type Question = 'answer' | 'pages';

export interface HostileAnswer {
  /** Sends the answer to the request of this number, from 1; `origin` is where the server is. */
  send(socket: Socket, request: number, origin: string): void | Promise<void>;
  /** The code of the error, where it differs from language to language for each. */
  readonly code: string | Readonly<Record<Language, string>>;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** `answer` unless told otherwise. */
  readonly question?: Question;
  /** How long the call may take; more than a test takes unless told otherwise. */
  readonly timeoutMs?: number;
  /** 2 unless told otherwise. */
  readonly maxRetries?: number;
  /** How many requests come; `some`: from 1 to 4, as many as the time allows. 1 unless told otherwise. */
  readonly requests?: number | 'some';
}

/** A row whose answer takes longer than the call may: enough for a connection on a machine that is busy. */
const SHORT_MS = 300;
/** How long such an answer takes at least: a client that waits for it gets it. */
const LATE_MS = 3_000;
const TRICKLE_EVERY_MS = 20;
/** The most that is sent of an answer without end: four times what a client may read. */
const MOST_SENT_BYTES = 256 * 1024 * 1024;
const MEBIBYTE = 'a'.repeat(1024 * 1024);

const JSON_TYPE = 'content-type: application/json';
const DATA = '{"statusCode":200,"data":[],"metadata":{"correlationId":"c"}}';

function answer(status: number, body: string | Buffer, ...headers: string[]): Buffer {
  // No connection is used twice: a client would send into one that the server is closing.
  const fixed = [`content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  const head = [`HTTP/1.1 ${status} X`, ...fixed, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
}

const json = (body: string | Buffer, status = 200, ...headers: string[]): Buffer =>
  answer(status, body, JSON_TYPE, ...headers);

const refusal = (code: string): string => JSON.stringify({ error: { message: 'no', code } });

const whole = (bytes: Buffer | string) => (socket: Socket) => void socket.end(bytes);

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A byte at a time, from this one on; the answer is a good one, and whole in the end. */
const trickle = (from: number) => async (socket: Socket) => {
  const bytes = json(DATA);
  socket.write(bytes.subarray(0, from));
  const step = Math.ceil(((bytes.length - from) * TRICKLE_EVERY_MS) / LATE_MS);
  for (let at = from; at < bytes.length && !socket.destroyed; at += step) {
    await later(TRICKLE_EVERY_MS);
    socket.write(bytes.subarray(at, at + step));
  }
  socket.end();
};

/** Sends `text` again and again, until the client has enough of it. */
const endless = (head: string, text: string) => (socket: Socket) => {
  let sent = 0;
  const send = (): void => {
    while (sent < MOST_SENT_BYTES) {
      sent += text.length;
      if (!socket.write(text)) return;
    }
    socket.end();
  };
  socket.on('drain', send).write(head);
  send();
};

const TIMEOUT = { code: 'TIMEOUT', timeoutMs: SHORT_MS } as const;
const NO_ANSWER = { code: 'CONNECTION_FAILED' } as const;
const OTHER = { code: 'UNEXPECTED_ANSWER', status: 200 } as const;
const OK = 'HTTP/1.1 200 OK\r\n';

const BOMB = json(gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '), { level: 1 }), 200, 'content-encoding: gzip');

export const hostileAnswers: Readonly<Record<string, HostileAnswer>> = {
  'nothing at all': {
    ...TIMEOUT,
    async send(socket) {
      await later(LATE_MS);
      socket.end(json(DATA));
    },
  },
  'a trickle from the first byte on': { ...TIMEOUT, send: trickle(0) },
  'a trickle of headers': { ...TIMEOUT, send: trickle(OK.length) },
  'a trickle of a body': { ...TIMEOUT, send: trickle(json(DATA).indexOf('{')) },
  'retries that take too long together': {
    ...TIMEOUT,
    maxRetries: 100,
    requests: 'some',
    async send(socket, request) {
      await later(SHORT_MS * 0.4);
      socket.end(request > 4 ? json(DATA) : json(refusal('SERVICE_UNAVAILABLE'), 503, 'retry-after: 0'));
    },
  },
  'a wait that the call has no time for': {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    retryAfterSeconds: 1,
    timeoutMs: 900,
    send: whole(json(refusal('SERVICE_UNAVAILABLE'), 503, 'retry-after: 1')),
  },
  'a Retry-After of 5,000 digits': {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    retryAfterSeconds: 999_999_999,
    send: whole(json(refusal('SERVICE_UNAVAILABLE'), 503, `retry-after: ${'9'.repeat(5_000)}`)),
  },
  'a body without end': { code: 'ANSWER_TOO_LARGE', send: endless(`${OK}${JSON_TYPE}\r\n\r\n`, MEBIBYTE) },
  'chunks without end': {
    code: 'ANSWER_TOO_LARGE',
    send: endless(`${OK}${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n`, `100000\r\n${MEBIBYTE}\r\n`),
  },
  'a chunk of less than nothing': {
    code: { typescript: 'CONNECTION_FAILED', python: 'ANSWER_TOO_LARGE' },
    send: endless(`${OK}${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n`, MEBIBYTE),
  },
  'a little that grows when it is decompressed': {
    // The Python client asks for no compression, and decompresses nothing.
    code: { typescript: 'ANSWER_TOO_LARGE', python: 'UNEXPECTED_ANSWER' },
    // The server leaves the connection open: Node's fetch fails where it ends before the body was read.
    send: (socket) => void socket.write(BOMB),
  },
  'a flood of headers': { ...NO_ANSWER, send: endless(OK, `x-flood: ${'a'.repeat(1_000)}\r\n`) },
  'a flood of replies before the answer': {
    code: { typescript: 'CONNECTION_FAILED', python: 'ANSWER_TOO_LARGE' },
    send: endless('', `HTTP/1.1 100 Continue\r\nx: ${'a'.repeat(1_000)}\r\n\r\n`.repeat(64)),
  },
  'more announced than sent': {
    ...NO_ANSWER,
    send: whole(`${OK}${JSON_TYPE}\r\ncontent-length: 1000000000000000\r\n\r\n${DATA}`),
  },
  'a chunk that breaks off': {
    ...NO_ANSWER,
    send: whole(`${OK}${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\nff\r\n${DATA}`),
  },
  'a connection that is reset': { ...NO_ANSWER, send: (socket) => void socket.resetAndDestroy() },
  'a connection that is closed': { ...NO_ANSWER, send: (socket) => void socket.end() },
  'another protocol': { ...NO_ANSWER, send: whole('SSH-2.0-OpenSSH_9.2\r\n') },
  'a status that is no number': { ...NO_ANSWER, send: whole('HTTP/1.1 two OK\r\n\r\n') },
  'deep JSON': { ...OTHER, send: whole(json(`{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)) },
  'deep JSON without end': { ...OTHER, send: whole(json(`{"data":${'[{"a":'.repeat(100_000)}`)) },
  'text that is not UTF-8': { ...OTHER, send: whole(json(Buffer.from('{"data":["caf\xe9"]}', 'latin1'))) },
  'JSON of another type': { ...OTHER, send: whole(answer(200, DATA, 'content-type: text/html')) },
  'JSON without a type': { ...OTHER, send: whole(answer(200, DATA)) },
  'a page of a proxy': {
    code: 'UNEXPECTED_ANSWER',
    status: 502,
    send: whole(answer(502, '<html>', 'content-type: text/html')),
  },
  'an error without texts': {
    code: 'UNEXPECTED_ANSWER',
    status: 400,
    send: whole(json('{"error":{"message":{"a":1},"code":["b"]},"metadata":null}', 400)),
  },
  'a redirect that takes the key elsewhere': {
    code: 'UNEXPECTED_ANSWER',
    status: 307,
    send: (socket, _, origin) =>
      void socket.end(answer(307, '', `location: ${origin}/elsewhere?key=k`, 'x-accel-redirect: /elsewhere')),
  },
  'a redirect to no address': {
    code: 'UNEXPECTED_ANSWER',
    status: 302,
    send: whole(answer(302, '', 'location: http://[')),
  },
  'data that are no page': { code: 'UNEXPECTED_ANSWER', question: 'pages', send: whole(json(DATA)) },
  'no data for a page': { code: 'UNEXPECTED_ANSWER', question: 'pages', send: whole(json('{"data":null}')) },
  'empty pages without end': {
    code: 'UNEXPECTED_ANSWER',
    question: 'pages',
    send: whole(json('{"data":{"items":[],"hasNextPage":true}}')),
  },
};

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
