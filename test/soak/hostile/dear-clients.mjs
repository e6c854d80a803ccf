/**
 * `node dear-clients.mjs <port> <JSON> <seconds>`, where the JSON has the requests to choose from, each with what it counts
 * as and a body if it is a POST, the headers of each, and the units of the rate to begin with and for each later second: a
 * client that asks at the start of a second for all that it may, on a connection for each request. Prints what came back by
 * status.
 */
import { Agent, request as send } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const [port, sources, seconds] = process.argv.slice(2);
const { requests, headers, firstUnits, unitsPerSecond } = JSON.parse(sources);
/** As many as a server lets one client of its own open. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const statuses = {};
let next = 0;

function ask({ url, body }) {
  const of = body === undefined ? {} : { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  return new Promise((resolve) => {
    const request = send({ host: '127.0.0.1', port, path: url, agent, headers, ...of }, (response) => {
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
      response.resume().once('end', resolve);
    });
    request.once('error', ({ code }) => {
      statuses[code] = (statuses[code] ?? 0) + 1;
      resolve();
    });
    request.end(body);
  });
}

const startedMs = performance.now();
const pending = [];
let units = firstUnits;
for (let second = 1; second <= Number(seconds); second++) {
  for (let one = requests[next]; units >= one.rateCost; one = requests[next]) {
    units -= one.rateCost;
    next = (next + 1) % requests.length;
    pending.push(ask(one));
  }
  await wait(startedMs + second * 1000 - performance.now());
  units += unitsPerSecond;
}
await Promise.all(pending);
agent.destroy();
process.stdout.write(`${JSON.stringify(statuses)}\n`);
