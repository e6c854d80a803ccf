/**
 * The four internals of Node that the server uses beyond the public API, each with its benefit. Where a later version of
 * Node keeps one elsewhere, the server goes on without that benefit, and a test of it fails.
 */

import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

type WithHeadText = ServerResponse & { _header: string };
type OnIncoming = (request: IncomingMessage, shouldKeepAlive: boolean) => number;
type WithParser = Duplex & { parser?: { onIncoming?: OnIncoming; resume?: () => void } | null };

const LINE_END = '\r\n';

/** A parser callback returns it to make the parser treat the remaining bytes as another protocol, */
const STOP_PARSING = 2;
/** or to make it stop behind the head of the request, with an error of PAUSED_CODE that holds the remaining bytes. */
const PAUSE_PARSING = 21;
const PAUSED_CODE = 'HPE_PAUSED';

/** Whether Node keeps the text of a head until it sends the head; undefined before the first response. */
let hasHeadText: boolean | undefined;

function findHeadText(): boolean {
  const response = new ServerResponse(new IncomingMessage(new Socket())) as WithHeadText;
  response.writeHead(200, ['content-length', '1']);
  const text: unknown = response._header;
  return typeof text === 'string' && text.endsWith(LINE_END + LINE_END);
}

/**
 * Writes the head of a response and the `start` of its body, each character of which is one byte. `headers` are a flat
 * list of names and values, beside the length of the body, which is undefined for a response without one.
 *
 * Gains a fifth to a quarter of the processor time that a bare Node server takes for a response of a kilobyte: Node
 * keeps the text of a head (`_header`) until it sends it, so headers are appended without a check of each against a
 * pattern, and head and body leave in one write. The headers must be visible ASCII and spaces, and none may be what a
 * client sent: a character above U+00FF would lose its high byte, and could become the end of a line.
 */
export function writeStart(
  response: ServerResponse,
  status: number,
  bodyBytes: number | undefined,
  headers: readonly string[],
  start: string,
): void {
  const length = bodyBytes === undefined ? [] : ['content-length', String(bodyBytes)];
  hasHeadText ??= findHeadText();
  if (!hasHeadText) {
    response.writeHead(status, [...length, ...headers]);
    if (start !== '') response.write(start, 'latin1');
    return;
  }
  response.writeHead(status, length);
  const message = response as WithHeadText;
  let head = message._header.slice(0, -LINE_END.length);
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}${LINE_END}`;
  message._header = head + LINE_END + start;
}

/**
 * Gains the answers of a client that closes its side of the connection behind its last request: Node drops requests
 * that have no answer by then.
 */
export function keepHalfOpen(server: Server): void {
  Reflect.set(server, 'httpAllowHalfOpen', true);
}

/**
 * Keeps Node from parsing the rest of a packet whose connection is gone. Gains memory: a packet of 64 KiB may hold
 * 2,500 requests, whose objects live until the event loop comes to its closed sockets, the later the more connections
 * there are.
 */
export function stopNodeParser(socket: Duplex): void {
  const { parser } = socket as WithParser;
  // A connection that has closed has no parser any more.
  if (parser) parser.onIncoming = () => STOP_PARSING;
}

/**
 * Makes the parser of a new connection stop behind the head of each request that `pausesAt` names. Gains time and memory:
 * else Node parses the rest of the packet, of which 64 KiB may hold 10,000 chunks of a body, each a call and a Buffer.
 */
export function pauseNodeParserAt(socket: Duplex, pausesAt: (request: IncomingMessage) => boolean): void {
  const { parser } = socket as WithParser;
  if (!parser?.onIncoming) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, shouldKeepAlive) => {
    const result = onIncoming(request, shouldKeepAlive);
    return result === 0 && pausesAt(request) ? PAUSE_PARSING : result;
  };
}

/** The bytes behind the head at which the parser has paused; undefined for an error that is no such pause. */
export function findUnparsed(error: unknown): Uint8Array | undefined {
  const { code, rawPacket, bytesParsed } = error as { code?: string; rawPacket?: Uint8Array; bytesParsed?: number };
  return code === PAUSED_CODE ? rawPacket?.subarray(bytesParsed) : undefined;
}

/** Lets a parser go on that has paused. */
export function resumeNodeParser(socket: Duplex): void {
  (socket as WithParser).parser?.resume?.();
}

/**
 * Takes no more connections, and calls `onClosed` when none is left. Gains the requests that are on their way to a
 * server that stops: the close of Node's HTTP servers cuts idle connections at once, that of its TCP servers lets them
 * end.
 */
export function stopListening(server: Server, onClosed: () => void): void {
  NetServer.prototype.close.call(server, () => onClosed());
}
