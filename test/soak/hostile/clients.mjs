/**
 * The hostile clients, a process of their own: `node clients.mjs <port> <seed> <requests> <api or site> <JSON>`, where the
 * JSON is what the requests of that server are made of (api-requests.mjs, site-requests.mjs). They open connections of
 * every kind below, so many at a time, until that many requests were sent, and print as one line of JSON what they sent,
 * what came back, and what of it was wrong.
 */
import { connect } from 'node:net';
import { createRandom } from '../../fixtures/random.mjs';
import { createJudge } from './judging.mjs';

const [port, seed, requestCount, target, sources] = process.argv.slice(2);
const AT_A_TIME = 64;
/** Of those who only hold a connection, beside the others. */
const HOLDERS_AT_A_TIME = 400;
const HOLD_MS = 4_000;
/** Longer than unread answers are borne where all places are taken. */
const UNREAD_HOLD_MS = 10_000;
const DRIP_MS = 100;
/**
 * Those who read nothing ask UNREAD_REQUESTS in all, whose responses are a little more than the buffer of 4 MiB that Linux
 * gives a connection, and UNREAD_AT_A_TIME after each pause: a server under attack answers these within four pauses, so
 * that it never has more than MAX_PIPELINED to answer, which it would cut the connection for.
 */
const UNREAD_REQUESTS = 64;
const UNREAD_AT_A_TIME = 4;
const UNREAD_DRIP_MS = 100;
/** A connection that hears nothing for so long has been left without an answer. */
const SILENCE_LIMIT_MS = 20_000;
const MAX_PIPELINED = 16;
const MAX_PACKET = 2_500;
const FAILURES_TOLD = 20;

const random = createRandom(Number(seed));
const { createRequests } = await import(`./${target}-requests.mjs`);
const requests = createRequests(random, JSON.parse(sources));
const outcome = { sent: 0, answered: 0, connections: {}, statuses: {}, failures: [], failureCount: 0 };

function fail(problem) {
  outcome.failureCount++;
  if (outcome.failures.length < FAILURES_TOLD) outcome.failures.push(problem);
}

function countAnswer(status) {
  outcome.answered++;
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
}

/** Opens a connection, hands it to `act`, and resolves when it is closed, by whichever side. */
function withConnection(kind, act) {
  outcome.connections[kind] = (outcome.connections[kind] ?? 0) + 1;
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    // Refusals come as resets: what was not read is lost, which is the sender's fault.
    socket.on('error', () => {});
    socket.once('close', resolve);
    act(socket);
  });
}

/** Sends groups of requests, each as one packet when the group before is answered. */
function converse(groups) {
  return (socket) => {
    const asked = [];
    const judge = createJudge(asked, requests.check, countAnswer, (problem) => {
      fail(problem);
      socket.destroy();
    });
    let isLast = false;
    const sendNext = () => {
      const group = groups.shift();
      if (group === undefined) {
        socket.destroy();
        return;
      }
      outcome.sent += group.length;
      asked.push(...group);
      isLast = group.some(({ endsConnection }) => endsConnection);
      socket.write(Buffer.from(group.map(({ text }) => text).join(''), 'latin1'));
    };
    socket.once('connect', sendNext);
    socket.on('data', (chunk) => {
      if (judge.take(chunk) && asked.length === 0 && !isLast) sendNext();
    });
    socket.setTimeout(SILENCE_LIMIT_MS, () => {
      fail(`no answer in ${SILENCE_LIMIT_MS} ms to ${JSON.stringify(asked[0]?.text.slice(0, 300))}`);
      socket.destroy();
    });
  };
}

const upTo = (count) => 1 + Math.floor(random() * count);
const several = (count, make) => Array.from({ length: count }, make);

/** By kind: how often it is chosen, and one connection of it. */
const KINDS = {
  single: [4, () => converse(several(upTo(100), () => [requests.next()]))],
  pipelined: [8, () => converse(several(upTo(20), () => several(upTo(MAX_PIPELINED), () => requests.next())))],
  overrun: [
    1,
    () => (socket) => {
      // Mostly a few too many, at times all that a packet holds.
      const count = MAX_PIPELINED + Math.ceil(MAX_PACKET * random() ** 3);
      outcome.sent += count;
      socket.resume();
      socket.once('connect', () => socket.write(requests.tiny().text.repeat(count)));
      socket.setTimeout(SILENCE_LIMIT_MS, () => {
        fail('a flood was neither answered nor cut');
        socket.destroy();
      });
    },
  ],
  garbage: [
    2,
    () => (socket) => {
      outcome.sent++;
      const request = random() < 0.5 ? requests.next().text : '';
      socket.resume();
      socket.once('connect', () => socket.end(Buffer.from(request + requests.garbage(), 'latin1')));
      socket.setTimeout(SILENCE_LIMIT_MS, () => socket.destroy());
    },
  ],
  gone: [
    2,
    () => (socket) => {
      const group = several(upTo(MAX_PIPELINED), () => requests.next());
      outcome.sent += group.length;
      socket.once('connect', () => {
        socket.write(Buffer.from(group.map(({ text }) => text).join(''), 'latin1'));
        setTimeout(() => socket.resetAndDestroy(), random() * 5);
      });
    },
  ],
};

/** Those who hold connections: sockets that are to be closed after HOLD_MS. */
const HOLDERS = {
  idle: () => (socket) => socket.resume(),
  /** Asks for more than the buffers between hold, and reads nothing of it. */
  unread: () => (socket) => {
    socket.pause();
    let left = UNREAD_REQUESTS;
    const ask = () => {
      if (socket.destroyed || left === 0) return;
      left -= UNREAD_AT_A_TIME;
      outcome.sent += UNREAD_AT_A_TIME;
      socket.write(requests.large().text.repeat(UNREAD_AT_A_TIME));
      setTimeout(ask, UNREAD_DRIP_MS);
    };
    socket.once('connect', ask);
  },
  slow: () => (socket) => {
    const { text } = requests.next();
    let at = 0;
    outcome.sent++;
    socket.resume();
    socket.once('connect', () => {
      const drip = () => {
        if (socket.destroyed || at >= text.length) return;
        socket.write(Buffer.from(text[at++], 'latin1'));
        setTimeout(drip, DRIP_MS);
      };
      drip();
    });
  },
};

const isOver = () => outcome.sent >= Number(requestCount);

async function attack() {
  const choices = Object.entries(KINDS).flatMap(([kind, [weight]]) => several(weight, () => kind));
  while (!isOver()) {
    const kind = choices[Math.floor(random() * choices.length)];
    await withConnection(kind, KINDS[kind][1]());
  }
}

async function hold() {
  const kinds = Object.keys(HOLDERS);
  while (!isOver()) {
    const kind = kinds[Math.floor(random() * kinds.length)];
    await withConnection(kind, (socket) => {
      HOLDERS[kind]()(socket);
      const limit = setTimeout(() => socket.destroy(), kind === 'unread' ? UNREAD_HOLD_MS : HOLD_MS);
      socket.once('close', () => clearTimeout(limit));
    });
  }
}

await Promise.all([...several(AT_A_TIME, attack), ...several(HOLDERS_AT_A_TIME, hold)]);
console.log(JSON.stringify(outcome));
