/**
 * The HTTP server under the Express app. Two things are special about it. Requests and responses are born with the
 * app's own prototypes (app-prototypes.ts). And what node refuses before a request exists (bad syntax, too much header,
 * too slow) is answered in the envelope as well.
 */

import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { classesOf } from '../app-prototypes.js';
import { type ConnectionLimits, type Connections, type WatchedConnections, watchConnections } from './connections.js';
import { HttpError, methodNotAllowed, routeNotFound } from './errors.js';
import type { RequestObserver } from './handlers.js';
import { createRenderer, type RenderedError } from './render.js';
import { checkHeads, send } from './sending.js';

/** A request is a few hundred bytes without a body; a peer that needs longer holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** URL and headers together. */
export const MAX_HEADER_BYTES = 16_384;
/** Longer than load balancers keep idle connections, a minute: a balancer that closes first loses no request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 5_000;

export interface HttpServerOptions {
  readonly observer?: Pick<RequestObserver, 'refusedEarly'> | undefined;
  readonly connectionLimits?: ConnectionLimits;
  /** Overrides what is set here. */
  readonly nodeOptions?: ServerOptions;
}

export interface HttpServer {
  /** Does not listen yet. */
  readonly server: Server;
  readonly connections: Connections;
}

/** Makes a server that answers with the app. */
export function createHttpServer(
  app: Express,
  { observer, connectionLimits, nodeOptions = {} }: HttpServerOptions = {},
): HttpServer {
  checkHeads();
  const renderer = createRenderer();
  const renderEarly = (error: HttpError): RenderedError => {
    const correlationId = randomUUID();
    const rendered = renderer.renderError(error, { correlationId });
    observer?.refusedEarly(rendered.status, correlationId);
    return rendered;
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // Express gives up before the first middleware on a target without a path, such as `GET mailto://x`.
    app(request as never, response as never, (error?: unknown) => {
      // An error that comes out here has passed our own error handler, which failed: nothing more can be said.
      if (error !== undefined && error !== null) {
        request.socket.destroy();
        throw error;
      }
      const { status, headers, body } = renderEarly(routeNotFound());
      send(response, status, headers, body);
    });
  };
  const server = createServerOf(app, nodeOptions);
  const connections = watchConnections(server, answer, connectionLimits);
  takeRequests(server, connections);
  takeRefusals(server, connections, renderEarly);
  return { server, connections };
}

function createServerOf(app: Express, nodeOptions: ServerOptions): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The app checks this itself, to answer in the envelope.
    requireHostHeader: false,
    ...nodeOptions,
    ...classesOf(app),
  });
  // MAX_HEADER_BYTES is the limit. node would leave out what is beyond its own, the key perhaps, without a word.
  server.maxHeadersCount = 0;
  // A client that has sent its last request, and says so, is owed the answers all the same. node has no public name for it.
  (server as Server & { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  return server;
}

/** Hands every request that node has parsed to its connection. */
function takeRequests(server: Server, connections: WatchedConnections): void {
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    if (hidesItsEnd(request)) response.shouldKeepAlive = false;
    connections.add(request, response);
  };
  server.on('request', take);
  // An expectation we don't know is ignored, where node would answer 417 without the envelope.
  server.on('checkExpectation', take);
  // No body is read, so none is asked for: node would ask in the middle of another request's answer. Behind an answer
  // that comes instead it closes the connection.
  server.on('checkContinue', take);
}

/** Answers what node refuses to parse, or has no request for. */
function takeRefusals(
  server: Server,
  connections: WatchedConnections,
  render: (error: HttpError) => RenderedError,
): void {
  const refuse = (socket: Duplex, error: HttpError): void =>
    connections.refuseAfterAnswers(socket, () => {
      socket.end(toRawResponse(render(error)), () => socket.destroy());
    });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, toHttpError(error));
  });
  // There is no response to answer with, and node has stopped listening to the socket's errors.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    refuse(socket, methodNotAllowed());
  });
}

/**
 * Whether nobody can tell where the request behind this one starts: node drops what stands in a packet behind a
 * request for another protocol, and HTTP/1.0 knows no transfer codings (RFC 9112, 6.1).
 */
function hidesItsEnd({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  const isOld = httpVersionMajor === 1 && httpVersionMinor === 0;
  return headers.upgrade !== undefined || (isOld && headers['transfer-encoding'] !== undefined);
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

function toRawResponse({ status, headers, body }: RenderedError): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `date: ${new Date().toUTCString()}`,
    `content-length: ${body.length}`,
  ];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
