/** A Buffer is used again for the next piece and the next response, and no client gets bytes of another one. */

import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PieceSender } from '../../src/api/http/render.js';

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
