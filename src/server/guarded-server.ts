/**
 * The HTTP server that the API and the site both start: an Express app behind guards against hostile clients.
 * Connections are limited and watched (server-connections.ts), headers and bodies have limits of size and time, and a
 * request that node refuses to parse gets a response in the program's own form. The server does not listen yet.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AppPrototypes, classesOf } from './express-classes.js';
import { findUnparsed, keepHalfOpen } from './node-internals.js';
import { type Refusal, type RefusalResponse, refusalOf, toRawRefusal } from './refusals.js';
import { toOriginForm } from './request-target.js';
import { type ConnectionLimits, type Connections, ServerConnections } from './server-connections.js';

/**
 * Milliseconds for the headers, and for the whole request. A request is a few hundred bytes, so a slower client is
 * broken or hostile.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** Bytes of URL and headers together. */
export const MAX_HEADER_BYTES = 16_384;
/** Milliseconds: longer than the minute for which load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 5_000;

export interface GuardedServerOptions {
  readonly renderRefusal: (refusal: Refusal) => RefusalResponse;
  /**
   * Whether the app reads the body of this request; every other body is discarded as it comes, and so is what the app
   * has not read when it responds, cut off after MAX_DISCARDED_BYTES (client-connection.ts). Default: no body is read.
   */
  readonly readsBody?: (request: IncomingMessage) => boolean;
  readonly connectionLimits?: ConnectionLimits | undefined;
}

export interface GuardedServer {
  readonly server: Server;
  readonly connections: Connections;
}

/** An Express app, as far as a server knows it. */
export type App = AppPrototypes &
  ((request: IncomingMessage, response: ServerResponse, unrouted: (error?: unknown) => void) => void);

/** Makes a server that answers with the app. */
export function createGuardedServer(app: App, options: GuardedServerOptions): GuardedServer {
  const { renderRefusal, readsBody, connectionLimits } = options;
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    app(request, response, (error?: unknown) => {
      // The app's own error handler has failed: no response can be sent.
      if (error !== undefined && error !== null) {
        request.socket.destroy();
        throw error;
      }
      const { status, headers, body } = renderRefusal('unroutable');
      response.writeHead(status, ['content-length', String(body.length), ...headers]).end(body, 'latin1');
    });
  const server = createServerOf(app);
  const refuse = (socket: Duplex, refusal: Refusal): void =>
    connections.refuseAfterAnswers(socket, () => {
      socket.end(toRawRefusal(renderRefusal(refusal)), () => (socket as Socket).destroySoon());
    });
  const connections = new ServerConnections(
    server,
    answer,
    { ...connectionLimits, ...(readsBody && { readsBody }) },
    (socket) => refuse(socket, 'chunk-flood'),
  );
  takeRequests(server, connections);
  takeRefusals(server, connections, refuse);
  return { server, connections };
}

function createServerOf(app: App): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The app asks findRequestFault, to answer in its own form.
    requireHostHeader: false,
    ...classesOf(app),
  });
  // MAX_HEADER_BYTES is the limit. By default Node silently drops headers beyond a count, perhaps the key.
  server.maxHeadersCount = 0;
  keepHalfOpen(server);
  return server;
}

/** Hands every request that node has parsed to its connection. */
function takeRequests(server: Server, connections: ServerConnections): void {
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = toOriginForm(request.url ?? '');
    if (hidesItsEnd(request)) response.shouldKeepAlive = false;
    connections.add(request, response);
  };
  server.on('request', take);
  // An unknown expectation is ignored; Node would answer 417 in its own format.
  server.on('checkExpectation', take);
  // Node would send 100 Continue in the middle of another response: client-connection.ts sends it when the app begins to read
  // the body. After any other response Node closes the connection.
  server.on('checkContinue', take);
}

/** Answers requests that Node refuses to parse, and CONNECT. */
function takeRefusals(
  server: Server,
  connections: ServerConnections,
  refuse: (socket: Duplex, refusal: Refusal) => void,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const unparsed = findUnparsed(error);
    if (unparsed !== undefined) connections.unread(socket, unparsed);
    else if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, refusalOf(error));
  });
  // There is no response to answer with, and node has stopped listening to the socket's errors.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    refuse(socket, 'tunnel');
  });
}

/**
 * Whether the start of the next request is ambiguous: Node drops the bytes after a request with Upgrade, and HTTP/1.0
 * has no transfer codings (RFC 9112, 6.1).
 */
function hidesItsEnd({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  const isOld = httpVersionMajor === 1 && httpVersionMinor === 0;
  return headers.upgrade !== undefined || (isOld && headers['transfer-encoding'] !== undefined);
}
