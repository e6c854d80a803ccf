/**
 * The head of a response where Node keeps its text, and where a later Node does not. The benefits of the other internals are
 * tested where they are used: server-connections, guarded-server and test/api/hostile.
 */

import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';

type WriteStart = typeof import('../../src/server/node-internals.js').writeStart;

async function received(writeStart: WriteStart): Promise<string> {
  const server = http.createServer((_request, response) => {
    writeStart(response, 200, 7, ['x-a', 'b', 'x-c', 'd'], 'start, ');
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  const response = await text(socket);
  server.close();
  return response.replace(/^date: .*\r\n/im, '');
}

test('the head and the start of the body are the same with the text of the head and without it', async () => {
  const { writeStart } = await import('../../src/server/node-internals.js');
  const withText = await received(writeStart);
  jest.resetModules();
  class WithoutText extends http.ServerResponse {
    override writeHead(): this {
      return this;
    }
  }
  jest.unstable_mockModule('node:http', () => ({ ...http, ServerResponse: WithoutText }));
  const other = await import('../../src/server/node-internals.js');
  expect(other.writeStart).not.toBe(writeStart);
  const withoutText = await received(other.writeStart);
  const linesOf = (response: string): string[] => response.toLowerCase().split('\r\n').sort();
  expect(linesOf(withoutText)).toEqual(linesOf(withText));
  expect(withText).toMatch(/^HTTP\/1\.1 200 OK\r\n.*x-a: b\r\nx-c: d\r\n\r\nstart, $/s);
});
