/**
 * `node dear-clients.mjs <port> <JSON> <seconds>`, where the JSON has the requests to choose from, each with what it counts
 * as, the headers of each, and the rate: a client that asks as often as it may, first its burst at once, then what a second
 * allows at the start of each, on a connection for each request. Prints what came back by status.
 */
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const [port, sources, seconds] = process.argv.slice(2);
const { requests, headers, rate } = JSON.parse(sources);
/** As many as a server lets one client of its own open. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const statuses = {};
let next = 0;

function ask() {
  const { url, rateCost } = requests[next++ % requests.length];
  const answered = new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: url, agent, headers }, (response) => {
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
      response.resume().once('end', resolve);
    });
    request.once('error', ({ code }) => {
      statuses[code] = (statuses[code] ?? 0) + 1;
      resolve();
    });
  });
  return { rateCost, answered };
}

const startedMs = performance.now();
const pending = [];
let units = rate.burst;
for (let second = 1; second <= Number(seconds); second++) {
  while (units > 0) {
    const { rateCost, answered } = ask();
    units -= rateCost;
    pending.push(answered);
  }
  await wait(startedMs + second * 1000 - performance.now());
  units += rate.requestsPerSecond;
}
await Promise.all(pending);
agent.destroy();
process.stdout.write(`${JSON.stringify(statuses)}\n`);
