/**
 * Puts an answer on the wire for as little as node:http can be made to take: a head and a short body go as one string in
 * one write, and the bytes of a long body from where they lie. node has no public way for either. By its own, `writeHead`
 * checks each header against a pattern, and head, body and end become three pieces that are put together in the kernel;
 * of an answer of a kilobyte that is a fifth to a quarter of what a bare server takes for it.
 */
import { IncomingMessage, type OutgoingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type JsonAnswer, lengthOf } from '../service/json-answer.js';

/** Where node keeps the text that `writeHead` has made, until it is sent. */
type WithHead = OutgoingMessage & { _header: string };

const HEAD_END = '\r\n';

/**
 * Throws where this node keeps the text of a head elsewhere, or makes it otherwise: nothing could be answered then, and it
 * must show before anybody asks.
 */
export function checkHeads(): void {
  const message = new ServerResponse(new IncomingMessage(new Socket())) as ServerResponse & WithHead;
  message.writeHead(200, ['content-length', '1']);
  const head = message._header;
  if (typeof head === 'string' && head.endsWith(HEAD_END + HEAD_END)) {
    message._header = `${head}x`;
    if (message._header === `${head}x`) return;
  }
  throw new Error(`node ${process.version} does not let src/http/sending.ts put a head together; use another version`);
}

/**
 * Sends all of an answer. `headers` are a flat list of names and values. They are not checked: each must be visible ASCII
 * and spaces, and none may be what a client sent. (A character above U+00FF loses its high byte, and could become the end
 * of a line.) What node knows by itself (connection, date, that HEAD and 304 have no body) stays with node.
 */
export function send(response: ServerResponse, status: number, headers: readonly string[], body: JsonAnswer): void {
  const hasBody = status !== 304;
  response.writeHead(status, hasBody ? ['content-length', String(lengthOf(body))] : []);
  const message = response as ServerResponse & WithHead;
  let head = message._header.slice(0, -HEAD_END.length);
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}${HEAD_END}`;
  head += HEAD_END;
  const isSent = hasBody && response.req.method !== 'HEAD';
  if (!isSent || typeof body === 'string') {
    message._header = isSent ? head + body : head;
    response.end();
  } else {
    message._header = head + body.before;
    response.write(body.slice);
    response.end(body.after, 'latin1');
  }
}
