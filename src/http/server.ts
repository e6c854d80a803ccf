/**
 * The HTTP server under the Express app. Two things are special about it. Requests and responses are born with the
 * app's own prototypes, so that the `Object.setPrototypeOf` Express does on each of them finds nothing to change:
 * otherwise every hidden class downstream is ruined, at several times the cost of all the rest. And what node refuses
 * before a request exists (bad syntax, too much header, too slow) is answered in the envelope as well.
 */

import { randomUUID } from 'node:crypto';
import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { HttpError, routeNotFound } from './errors.js';
import { createRenderer, type RenderedError } from './render.js';

/** A request is a few hundred bytes without a body; a peer that needs longer holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
const DRAIN_CHECK_MS = 50;

/** What a drain allows: milliseconds. */
export interface DrainLimits {
  /**
   * How long an idle connection may still bring a request, whose answer then closes it. Time for which this process
   * stood still does not count.
   */
  readonly graceMs: number;
  /** When everything that is left is cut off. */
  readonly limitMs: number;
}

export interface HttpServer extends Server {
  /**
   * Stops listening, and resolves when no connection is left. Requests under way and those that arrive meanwhile are
   * answered, with `Connection: close`; a connection that says nothing, or never finishes its request, is cut off.
   */
  drain(limits: DrainLimits): Promise<void>;
}

/** Makes a server for the app, not listening yet. `options` override the defaults here. */
export function createHttpServer(app: Express, options: ServerOptions = {}): HttpServer {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  // Express' prototypes inherit from node's own, so the two classes keep everything they had.
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as unknown as typeof app.request;
  app.response = AppResponse.prototype as unknown as typeof app.response;

  const renderer = createRenderer();
  const renderEarly = (error: HttpError): RenderedError => renderer.renderError(error, { correlationId: randomUUID() });

  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // The app checks this itself, to answer in the envelope.
    requireHostHeader: false,
    ...options,
    IncomingMessage: AppRequest,
    ServerResponse: AppResponse,
  };
  const onRequest = (request: AppRequest, response: AppResponse): void => {
    // Express gives up before the first middleware on a target without a path, such as `GET mailto://x`.
    app(request as never, response as never, (error?: unknown) => {
      // An error that comes out here has passed our own error handler, which failed: nothing more can be said.
      if (error !== undefined && error !== null) {
        request.socket.destroy();
        throw error;
      }
      const { status, headers, body } = renderEarly(routeNotFound());
      response.writeHead(status, headers).end(body);
    });
  };
  const server = createServer(serverOptions, onRequest);
  // An expectation we don't know is ignored, where node would answer 417 without the envelope.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    socket.end(toRawResponse(renderEarly(toHttpError(error))), () => socket.destroy());
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return Object.assign(server, { drain: (limits: DrainLimits) => drain(server, sockets, limits) });
}

async function drain(server: Server, sockets: ReadonlySet<Socket>, { graceMs, limitMs }: DrainLimits): Promise<void> {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
  const startedAt = performance.now();
  let lookedMs = 0;
  const look = (): void => {
    lookedMs += DRAIN_CHECK_MS;
    const isOver = performance.now() - startedAt > limitMs;
    for (const socket of sockets) {
      const isIdle = !isAnswering(socket) && socket.writableLength === 0;
      if (isOver || (lookedMs > graceMs && isIdle)) socket.destroy();
    }
  };
  // The event loop reads what has arrived between its timers and its immediates.
  const timer = setInterval(() => setImmediate(look), DRAIN_CHECK_MS);
  // The close of http's own servers would cut idle connections at once, with requests that are on their way.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  clearInterval(timer);
}

function toHttpError(error: NodeJS.ErrnoException): HttpError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError('HEADERS_TOO_LARGE', 'The URL and headers together are too large.');
    case 'HPE_INVALID_URL':
      // What a plain `curl` of a name with an umlaut meets.
      return new HttpError('MALFORMED_REQUEST', 'The URL holds a character that must be percent-encoded as UTF-8.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError('REQUEST_TIMEOUT', 'The request was not complete in time.');
    default:
      return new HttpError('MALFORMED_REQUEST', 'The request is not well-formed HTTP.');
  }
}

/**
 * Whether an earlier, pipelined request on this socket is still owed its answer. A refusal written now would be taken
 * for that answer, or land in the middle of it. node's own default handler looks at the same field.
 */
function isAnswering(socket: Duplex): boolean {
  return Boolean((socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage);
}

function toRawResponse({ status, headers, body }: RenderedError): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `date: ${new Date().toUTCString()}`,
  ];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
