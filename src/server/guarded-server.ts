/**
 * The HTTP server that the API and the site both start: an Express app behind guards against hostile clients.
 * Connections are limited and watched (connections.ts), headers and bodies have limits of size and time, and a request
 * that node refuses to parse gets a response in the program's own form. Requests and responses are born with the app's
 * own prototypes (see below). The server does not listen yet.
 */

import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionLimits, type Connections, ServerConnections } from './connections.js';
import { findUnparsed, keepHalfOpen } from './node-internals.js';
import { toOriginForm } from './request-target.js';

/*
 * Classes for node's server whose requests and responses are born with an Express app's own prototypes, so that the
 * `Object.setPrototypeOf` Express does on each of them finds nothing to change: otherwise every hidden class downstream
 * is ruined, at several times the cost of all the rest.
 */

/** What Express puts before node's prototypes, which these inherit from. */
export interface AppPrototypes {
  request: object;
  response: object;
}

/** To be handed to `createServer`. One server for each app: the app takes the new prototypes for its own. */
export function classesOf(app: AppPrototypes): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  // Express' prototypes inherit from node's own, so the two classes keep everything they had.
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype;
  app.response = AppResponse.prototype;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Milliseconds for the headers, and for the whole request. A request is a few hundred bytes, so a slower client is
 * broken or hostile.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** Bytes of URL and headers together. */
export const MAX_HEADER_BYTES = 16_384;
/** Characters of a URL: what proxies and browsers agree on at least. */
export const MAX_URL_CHARACTERS = 8_192;
/** Milliseconds: longer than the minute for which load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 5_000;

/** Why a request is refused before routing. */
export type Refusal =
  | 'malformed'
  | 'unencoded-url'
  | 'headers-too-large'
  | 'too-slow'
  /** CONNECT. */
  | 'tunnel'
  /** The target has no path that Express could route, such as `GET mailto://x`. */
  | 'unroutable'
  /** A body that the app reads comes in too many small chunks (body.ts). */
  | 'chunk-flood'
  | RequestFault;

/** A fault of a request that Node has parsed. */
export type RequestFault = 'url-too-long' | 'no-host' | 'several-hosts' | 'chunked-upgrade';

export interface RefusalResponse {
  readonly status: number;
  /** A flat list of names and values. */
  readonly headers: readonly string[];
  /** Each character is one byte. */
  readonly body: string;
}

export interface GuardedServerOptions {
  readonly renderRefusal: (refusal: Refusal) => RefusalResponse;
  /**
   * Whether the app reads the body of this request; every other body is discarded as it comes, and so is what the app
   * has not read when it responds, cut off after MAX_DISCARDED_BYTES (connection.ts). Default: no body is read.
   */
  readonly readsBody?: (request: IncomingMessage) => boolean;
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** Overrides the limits of Node's server below. */
  readonly nodeOptions?: ServerOptions | undefined;
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
  const { renderRefusal, readsBody, connectionLimits, nodeOptions = {} } = options;
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
  const server = createServerOf(app, nodeOptions);
  const refuse = (socket: Duplex, refusal: Refusal): void =>
    connections.refuseAfterAnswers(socket, () => {
      socket.end(toRawResponse(renderRefusal(refusal)), () => (socket as Socket).destroySoon());
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

/** The fault of the target or the Host headers of a request; undefined if there is none. */
export function findRequestFault(request: IncomingMessage): RequestFault | undefined {
  const { url = '', rawHeaders, headers, httpVersion } = request;
  if (url.length > MAX_URL_CHARACTERS) return 'url-too-long';
  const hostCount = countHosts(rawHeaders);
  if (hostCount > 1) return 'several-hosts';
  if (hostCount === 0 && httpVersion === '1.1') return 'no-host';
  // Node tells nothing of what it has read behind the head of such a request.
  return headers.upgrade !== undefined && headers['transfer-encoding'] !== undefined ? 'chunked-upgrade' : undefined;
}

/** Node uses the first of several Host headers, but a proxy may have routed by another. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

function createServerOf(app: App, nodeOptions: ServerOptions): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The app asks findRequestFault, to answer in its own form.
    requireHostHeader: false,
    ...nodeOptions,
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
  // Node would send 100 Continue in the middle of another response: connection.ts sends it when the app begins to read
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

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  // Happens to a plain `curl` of a name with an umlaut.
  if (code === 'HPE_INVALID_URL') return 'unencoded-url';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed';
}

function toRawResponse({ status, headers, body }: RefusalResponse): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `date: ${new Date().toUTCString()}`,
    `content-length: ${body.length}`,
  ];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
