/** What goes over the wire is what node itself would send, whatever the shape of the answer. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { send } from '../../src/api/http/render.js';
import { encodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { type ResponseBody, readResponseData } from '../../src/core/use-cases/response-data.js';
import { sendRawForText } from './harness.js';

const HEADERS = ['content-type', 'application/json', 'etag', 'W/"feed-c0de"'];
const TEXT = '{"name":"Łódź, Zürich, 서울, 🗺"}';

const answers: Readonly<Record<string, ResponseBody>> = {
  empty: '',
  short: encodeUtf8(TEXT),
  long: encodeUtf8(`[${TEXT.repeat(5_000)}]`),
  around: { before: encodeUtf8(`[${TEXT},`), slice: Buffer.from(TEXT.repeat(1_000)), after: encodeUtf8(`,${TEXT}]`) },
};

const HOW = ['sent', 'by-node'] as const;
let server: Server;

/** `/how/name/status`. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, how, name = '', status] = (request.url ?? '').split('/');
    const body = answers[name] as ResponseBody;
    if (how === 'sent') {
      send(response, Number(status), HEADERS, body);
      return;
    }
    const bytes = Buffer.from(readResponseData(body));
    const length = status === '304' ? [] : ['content-length', String(bytes.length)];
    response.writeHead(Number(status), [...length, ...HEADERS]).end(bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

function converse(text: string): Promise<string> {
  return sendRawForText((server.address() as AddressInfo).port, text);
}

/** Heads with their lines in order, but for the date, and bodies. */
function inOrder(received: string): string {
  return received.replaceAll(/HTTP\/1\.1[\s\S]*?\r\n\r\n/g, (head) =>
    head
      .split('\r\n')
      .filter((line) => !line.toLowerCase().startsWith('date:'))
      .sort()
      .join('\r\n'),
  );
}

test.each([
  ['GET', '1.1', 200],
  ['GET', '1.1', 404],
  ['GET', '1.1', 304],
  ['HEAD', '1.1', 200],
  ['GET', '1.0', 200],
])('%s over HTTP/%s, answered with %d', async (method, version, status) => {
  for (const name of Object.keys(answers)) {
    const [sent, byNode] = await Promise.all(
      HOW.map((how) =>
        converse(`${method} /${how}/${name}/${status} HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`),
      ),
    );
    expect(inOrder(sent as string)).toBe(inOrder(byNode as string));
  }
});

test('several requests in one packet', async () => {
  const [sent, byNode] = await Promise.all(
    HOW.map((how) => {
      const requests = Object.keys(answers).map((name) => `GET /${how}/${name}/200 HTTP/1.1\r\nhost: a\r\n\r\n`);
      return converse(`${requests.join('')}GET /${how}/empty/200 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    }),
  );
  expect(sent?.length).toBeGreaterThan(100_000);
  expect(inOrder(sent as string)).toBe(inOrder(byNode as string));
});
