/** What goes over the wire is what node itself would send, whatever the shape of the answer. */

import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PieceSender, send } from '../../src/api/http/send-response.js';
import { type ResponseBody, readResponseData } from '../../src/core/answers/response-data.js';
import { encodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { sendRawForText } from './harness.js';

describe('whole', () => {
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
});

describe('in pieces: a Buffer is used again, and no client gets bytes of another one', () => {
  const ENTRY_CHARACTERS = 10_000;
  let server: Server;
  let waitingCount = 0;

  /** `/name/count`: an answer of so many entries. */
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const [, name = '', count] = (request.url ?? '').split('/');
      const sender = new PieceSender(response, ['content-type', 'text/plain']);
      for (let index = 0; index < Number(count); index++) {
        sender.piece.add(entryOf(name, index));
        const reading = sender.sendFull();
        if (reading === undefined) continue;
        waitingCount++;
        await reading;
      }
      sender.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
  });

  function entryOf(name: string, index: number): string {
    return `${name}${index} `.padEnd(ENTRY_CHARACTERS, name);
  }

  function bodyOf(name: string, count: number): string {
    return Array.from({ length: count }, (_, index) => entryOf(name, index)).join('');
  }

  /** The response to a request, of which nothing is read yet. */
  async function ask(name: string, count: number): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(get({ port, path: `/${name}/${count}`, agent: false }), 'response');
    return response as IncomingMessage;
  }

  test.each([0, 1, 6, 7, 8, 40])('an answer of %i entries has all of them, one after the other', async (count) => {
    for (const name of ['a', 'b', 'c']) {
      const response = await ask(name, count);
      expect((await buffer(response)).toString()).toBe(bodyOf(name, count));
      // A piece is full with the seventh entry.
      expect(response.headers['content-length']).toBe(count < 7 ? String(count * ENTRY_CHARACTERS) : undefined);
    }
  });

  test('clients that read late get their own answers, as do those that come meanwhile', async () => {
    // Twelve megabytes each: more than all buffers on the way hold.
    const names = ['d', 'e', 'f'];
    const late = await Promise.all(names.map((name) => ask(name, 1_200)));
    while (waitingCount < names.length) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const name of ['g', 'h']) expect((await buffer(await ask(name, 50))).toString()).toBe(bodyOf(name, 50));
    const bodies = await Promise.all(late.map(buffer));
    for (const [at, name] of names.entries()) expect(bodies[at]?.toString() === bodyOf(name, 1_200)).toBe(true);
  });
});
