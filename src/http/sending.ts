/**
 * Sends a response whole, for as little as Node's HTTP can be made to take: the head and a short body go as one string
 * in one write, and the bytes of a long body from where they lie.
 */
import type { ServerResponse } from 'node:http';
import { writeStart } from '../server/node-internals.js';
import { byteLengthOf, type ResponseBody } from '../service/response-data.js';

/**
 * `headers` are a flat list of names and values, as writeStart takes them. What Node knows by itself (connection, date,
 * that HEAD and 304 have no body) stays with Node.
 */
export function send(response: ServerResponse, status: number, headers: readonly string[], body: ResponseBody): void {
  const hasBody = status !== 304;
  const bodyBytes = hasBody ? byteLengthOf(body) : undefined;
  const isSent = hasBody && response.req.method !== 'HEAD';
  if (!isSent || typeof body === 'string') {
    writeStart(response, status, bodyBytes, headers, isSent ? (body as string) : '');
    response.end();
  } else {
    writeStart(response, status, bodyBytes, headers, body.before);
    response.write(body.slice);
    response.end(body.after, 'latin1');
  }
}
