/** What clients may do with connections: how many, how much on each, how much on all together. */
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { MAX_UNANSWERED } from '../../src/server/client-connection.js';
import { findUnparsed } from '../../src/server/node-internals.js';
import {
  type Answer,
  type ConnectionLimits,
  type Connections,
  MAX_HELD_BYTES,
  ServerConnections,
} from '../../src/server/server-connections.js';
import { fakeTimers } from '../fixtures/fake-timers.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** More than the buffers of two sockets hold. */
const LARGE = Buffer.alloc(32 << 20, 'x');
const TINY_REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

let server: Server;
/** How many requests node has parsed. */
let parsedCount: number;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answerAtOnce: Answer = (request, response) => void response.end(request.url === '/large' ? LARGE : 'small');
const answerNever: Answer = () => {};

async function start(limits: ConnectionLimits, answer = answerAtOnce): Promise<Connections> {
  parsedCount = 0;
  server = createServer();
  const connections = new ServerConnections(server, answer, limits, (socket) => socket.destroy());
  server.on('request', (request, response) => {
    parsedCount++;
    connections.add(request, response);
  });
  server.on('clientError', (error, socket) => {
    const unparsed = findUnparsed(error);
    if (unparsed !== undefined) connections.unread(socket, unparsed);
    else connections.refuseAfterAnswers(socket, () => socket.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return connections;
}

function open(): Promise<Socket> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
    sockets.push(socket);
  });
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  return new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
}

const NO_CUTS = { idle: 0, pipelined: 0, memory: 0, unread: 0 };

describe('how many', () => {
  test('a new connection closes the connection that was idle longest', async () => {
    const connections = await start({ maxConnections: 3 });
    const [one, two, three] = [await open(), await open(), await open()];
    for (const socket of [two, one, three]) expect(await ask(socket, '/')).toMatch(/small$/);
    const fourth = await open();
    await closed(two);
    expect(await ask(fourth, '/')).toMatch(/small$/);
    for (const socket of [one, three]) expect(await ask(socket, '/')).toMatch(/small$/);
    expect(connections.openCount()).toBe(3);
    expect(connections.cutCounts()).toEqual({ ...NO_CUTS, idle: 1 });
  });

  test('a flood of new connections closes its own, not those that ask', async () => {
    const connections = await start({ maxConnections: 8 });
    const asking = [await open(), await open()];
    for (const socket of asking) expect(await ask(socket, '/')).toMatch(/small$/);
    for (let count = 0; count < 20; count++) (await open()).on('error', () => {});
    await waitUntil('the flood to be cut', () => connections.cutCounts().idle === 14);
    for (const socket of asking) expect(await ask(socket, '/')).toMatch(/small$/);
    expect(connections.openCount()).toBe(8);
  });

  test('connections that had an answer just now give way where they are the most', async () => {
    const connections = await start({ maxConnections: 8 });
    const asked: Socket[] = [];
    for (let count = 0; count < 8; count++) {
      const socket = await open();
      expect(await ask(socket, '/')).toMatch(/small$/);
      asked.push(socket);
    }
    const gone = Promise.all(asked.slice(0, 3).map((socket) => closed(socket)));
    const visitors: Socket[] = [];
    for (let count = 0; count < 3; count++) {
      const visitor = await open();
      expect(await ask(visitor, '/')).toMatch(/small$/);
      visitors.push(visitor);
    }
    await gone;
    for (const socket of [...visitors, ...asked.slice(3)]) expect(await ask(socket, '/')).toMatch(/small$/);
    expect(connections.cutCounts()).toEqual({ ...NO_CUTS, idle: 3 });
  });

  test('clients that do not read give way, also where all places are theirs', async () => {
    const connections = await start({ maxConnections: 4 });
    const good = await open();
    expect(await ask(good, '/')).toMatch(/small$/);
    for (let count = 0; count < 3; count++) {
      const lazy = await open();
      lazy.on('error', () => {});
      lazy.pause();
      lazy.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    await waitUntil(
      'their answers to lie unread',
      () => parsedCount === 4 && connections.heldBytes() > 2 * LARGE.length,
    );
    const asking: Socket[] = [];
    await waitUntil(
      'all to give way',
      async () => {
        if (connections.cutCounts().unread < 3) asking.push(await open());
        return connections.cutCounts().unread === 3;
      },
      { everyMs: 250 },
    );
    expect(await ask(asking.at(-1) as Socket, '/')).toMatch(/small$/);
  });

  test('where none is idle, the new one is closed', async () => {
    const connections = await start({ maxConnections: 2 }, answerNever);
    for (const socket of [await open(), await open()]) socket.write(TINY_REQUEST);
    await waitUntil('two requests', () => parsedCount === 2);
    const third = await open();
    third.resume();
    await closed(third);
    expect([connections.openCount(), connections.refusedCount()]).toEqual([2, 1]);
    expect(connections.cutCounts()).toEqual(NO_CUTS);
  });
});

describe('how much on one', () => {
  test('pipelined requests are answered in order, one of a connection in each turn of the event loop', async () => {
    let turn = 0;
    const begun: [path: string | undefined, turn: number][] = [];
    await start({}, (request, response) => {
      begun.push([request.url, turn]);
      setImmediate(() => turn++);
      response.end(request.url);
    });
    const socket = await open();
    const paths = Array.from({ length: MAX_UNANSWERED }, (_, at) => `/${at}`);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    await waitUntil('all answers', () => received.endsWith(`/${MAX_UNANSWERED - 1}`));
    expect(begun).toEqual(paths.map((path, at) => [path, at]));
    expect(received.match(/\r\n\r\n\/\d+/g)).toEqual(paths.map((path) => `\r\n\r\n${path}`));
  });

  test('more unanswered requests than allowed close the connection, and the rest of the packet is not parsed', async () => {
    let answeredCount = 0;
    const connections = await start({}, (_request, response) => {
      answeredCount++;
      setTimeout(() => response.end('late'), 20);
    });
    const [hostile, good] = [await open(), await open()];
    hostile.write(TINY_REQUEST.repeat(2_500));
    hostile.on('error', () => {});
    await closed(hostile);
    expect(parsedCount).toBe(MAX_UNANSWERED + 1);
    expect(answeredCount).toBe(1);
    expect(connections.heldBytes()).toBe(0);
    expect(connections.cutCounts()).toEqual({ ...NO_CUTS, pipelined: 1 });
    expect(await ask(good, '/')).toMatch(/late$/);
  });

  test('a client that does not read its answer is cut off; one that waits with its next request is not', async () => {
    fakeTimers('performance', 'setInterval');
    const connections = await start({});
    const idle = await open();
    expect(await ask(idle, '/')).toMatch(/small$/);
    const lazy = await open();
    lazy.pause();
    lazy.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
    await waitUntil('the answer to lie unread', () => connections.heldBytes() > LARGE.length / 2);
    jest.advanceTimersByTime(60_000);
    expect(connections.openCount()).toBe(2);
    jest.advanceTimersByTime(2_000);
    expect(connections.cutCounts()).toEqual({ ...NO_CUTS, unread: 1 });
    jest.useRealTimers();
    expect(await ask(idle, '/')).toMatch(/small$/);
  });

  test('a body is not kept while its request waits for an answer', async () => {
    let waiting: Parameters<Answer> | undefined;
    await start({}, (...exchange) => {
      waiting = exchange;
    });
    const socket = await open();
    // More than node lets wait for a reader.
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 800000\r\n\r\n${'b'.repeat(800_000)}`);
    await waitUntil('the end of the body', () => waiting?.[0].complete);
    expect(waiting?.[0].readableLength).toBe(0);
    waiting?.[1].end('done');
    expect(await new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))).toMatch(/done$/);
  });
});

test('a server that stops answers a request that arrives on an idle connection', async () => {
  const connections = await start({});
  const socket = await open();
  expect(await ask(socket, '/')).toMatch(/small$/);
  connections.stopListening();
  expect(await ask(socket, '/')).toMatch(/small$/);
});

describe('a body that the app waits for', () => {
  /** Reads the body and echoes it, as a parser of forms would; a request without one is answered at once. */
  const echo: Answer = (request, response) => {
    if (request.method === 'GET') {
      response.end('small');
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(body));
    request.on('error', () => {});
  };
  const FORM = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n';
  const LIMITS: ConnectionLimits = { maxConnections: 3, readsBody: ({ method }) => method === 'POST' };

  test('is read, also behind requests that wait, and when it comes in pieces', async () => {
    await start(LIMITS, echo);
    const socket = await open();
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write(`${TINY_REQUEST}${FORM}ab`);
    await waitUntil('the first answer', () => received.endsWith('small'));
    socket.write(`cd${FORM}efgh`);
    await waitUntil('all answers', () => received.endsWith('efgh'));
    expect(received.match(/\r\n\r\n(?:small|abcd|efgh)/g)).toHaveLength(3);
  });

  test.each(['', TINY_REQUEST])(
    'costs the connection where the client leaves in the middle, behind %j',
    async (before) => {
      const connections = await start(LIMITS, echo);
      // As the guarded server has it.
      (server as Server & { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
      for (let count = 0; count < 5; count++) {
        const socket = connect({
          port: (server.address() as { port: number }).port,
          host: '127.0.0.1',
          allowHalfOpen: true,
        });
        sockets.push(socket);
        let received = '';
        socket.on('data', (text) => {
          received += text;
        });
        socket.end(`${before}${FORM}a`);
        await closed(socket);
        expect(received.endsWith(before === '' ? '' : 'small')).toBe(true);
      }
      await waitUntil('all to be forgotten', () => connections.openCount() === 0);
      expect(connections.heldBytes()).toBe(0);
    },
  );

  test.each([
    ['the answer to it', '/large', '/'],
    ['a later one', '/', '/large'],
  ])('is followed by requests, in chunks too, while %s lies unread', async (_, path, nextPath) => {
    const connections = await start(LIMITS, (request, response) => {
      request.resume().on('end', () => answerAtOnce(request, response));
    });
    const [lazy, other] = [await open(), await open()];
    lazy.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`);
    for (let count = 0; count < 4; count++) {
      lazy.write(`GET ${count === 0 ? nextPath : '/'} HTTP/1.1\r\nhost: a\r\n\r\n${TINY_REQUEST}`);
      // Each pair comes to the server in a turn of its own.
      expect(await ask(other, '/')).toMatch(/small$/);
    }
    await waitUntil('the large answer to lie unread', () => connections.heldBytes() > LARGE.length / 2);
    let received = '';
    lazy.on('data', (text) => {
      received += String(text).replaceAll('x', '');
    });
    await waitUntil('nine answers', () => received.match(/HTTP\/1\.1 200/g)?.length === 9);
    expect(received.match(/small/g)).toHaveLength(8);
  });

  test('gives its place to others while it does not come', async () => {
    const connections = await start(LIMITS, echo);
    for (let count = 0; count < 3; count++) (await open()).write(FORM);
    await waitUntil('three forms', () => parsedCount === 3);
    expect(await ask(await open(), '/')).toMatch(/small$/);
    expect(connections.cutCounts().idle).toBe(1);
  });
});

describe('how much on all', () => {
  const textOf = (bytes: number): string => `GET / HTTP/1.1\r\nhost: a\r\nb: ${'c'.repeat(bytes)}\r\n\r\n`;

  test('the memory of unanswered requests is counted, and released with their responses', async () => {
    const begun: (() => void)[] = [];
    const connections = await start({}, (_request, response) => void begun.push(() => response.end('late')));
    const socket = await open();
    const [once] = [await heldAfter(connections, () => socket.write(textOf(10)))];
    const twice = await heldAfter(connections, () => socket.write(textOf(10)));
    expect(twice).toBe(2 * once);
    expect(await heldAfter(connections, () => socket.write(textOf(1_010)))).toBe(3 * once + 1_000);
    for (let answer = 0; answer < 3; answer++) {
      await waitUntil('the next request', () => begun.length > answer);
      begun[answer]?.();
    }
    await waitUntil('all to be given back', () => connections.heldBytes() === 0);
    socket.write(textOf(10));
    await waitUntil('another', () => connections.heldBytes() === once);
    socket.destroy();
    await waitUntil('nothing to be held', () => connections.heldBytes() === 0);
  });

  test('where all hold too much, the connections that hold most are cut', async () => {
    const connections = await start({}, answerNever);
    const modest = [await open(), await open()];
    for (const socket of modest) socket.write(TINY_REQUEST);
    await waitUntil('the modest ones', () => parsedCount === 2);
    const requests = textOf(12_000).repeat(MAX_UNANSWERED);
    for (let count = 0; connections.cutCounts().memory === 0; count++) {
      expect(count).toBeLessThan(1_000);
      (await open()).on('error', () => {}).write(requests);
    }
    expect(parsedCount * 12_000).toBeGreaterThan(MAX_HELD_BYTES / 2);
    expect(connections.heldBytes()).toBeLessThanOrEqual(MAX_HELD_BYTES);
    expect(modest.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([false, false]);
  });

  test('unread answers count', async () => {
    const connections = await start({});
    for (let held = 0; held <= MAX_HELD_BYTES; held += LARGE.length / 2) {
      const lazy = (await open()).on('error', () => {});
      lazy.pause();
      lazy.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    await waitUntil('a lazy one to be cut', () => connections.cutCounts().memory > 0);
    await waitUntil('the rest to fit', () => connections.heldBytes() <= MAX_HELD_BYTES);
  });

  async function heldAfter(connections: Connections, act: () => void): Promise<number> {
    const before = connections.heldBytes();
    act();
    await waitUntil('more to be held', () => connections.heldBytes() > before);
    return connections.heldBytes();
  }
});
