/**
 * Programs that the benchmarks start for themselves, bound to a core or not, and stop by their process ids: the real server
 * with a key store and keys made for it, a bare server that sends the same answers, Redis, a neighbour that keeps a core
 * busy, and wrk, which asks. The world tests start the real server here too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get as httpGet } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { cpuSecondsOfTrees, memoryOf } from '../fixtures/process-figures.mjs';
import { PROGRAM, ROOT, runRounds } from './measuring.mjs';

/** Of the plan for measuring: with limits, so that they are checked and told, but none that is ever reached. */
const PLAN = 'bench';
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  [PLAN]: { requestsPerMonth: 1e12, requestsPerSecond: 1e6, burst: 1e6 },
});

/** Longest wait for a key store, in milliseconds: many times what a Cluster takes. */
const STORE_LIMIT_MS = 20_000;

/** Makes a key in a key store, a folder or the address of a Redis. */
export async function createKey(store) {
  const { run } = await import(join(ROOT, 'dist/cli/run.js'));
  let written = '';
  const status = await run(['keys', 'create', '--name', 'bench', '--plan', PLAN, '--json', '--store', store], {
    env: { ...process.env, PLANS },
    clock: Date.now,
    writeOut: (text) => {
      written += text;
    },
    writeError: (text) => process.stderr.write(text),
  });
  if (status !== 0) throw new Error(`no key could be made in ${store}`);
  return JSON.parse(written).key;
}

/**
 * Starts the server on a snapshot, with metrics and every hundredth request logged, and waits for its first answer. `core`
 * binds it to one core, `workers` is how many processes serve; `store` is the folder of the key store or the address of a
 * Redis; without `key` one is made; `variables` are the server's besides. Throws with what the server wrote where it ends
 * before it answers.
 */
export async function startServer({ snapshot, store, core, workers = 1, key, variables = {} }) {
  key ??= await createKey(store);
  const command = [process.execPath, PROGRAM, 'serve'];
  if (core !== undefined) command.unshift('taskset', '-c', String(core));
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    SNAPSHOT: snapshot,
    WORKERS: String(workers),
    ADMIN_PORT: '0',
    ACCESS_LOG: '0.01',
    PLANS,
    ...(store.includes('://') ? { REDIS_URL: store } : { KEYS_DIR: store }),
    ...variables,
  };
  const startedAt = performance.now();
  const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const stop = async () => {
    agent.destroy();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  try {
    const { port } = JSON.parse(await firstLine(child, /"msg":"listening"/));
    const get = (path, headers) => request({ agent, port, path, headers: { 'x-api-key': key, ...headers } });
    let { status } = await get('/v1/countries/AD');
    // The nodes of a Cluster may not be known yet.
    while (status === 503 && performance.now() - startedAt < STORE_LIMIT_MS)
      ({ status } = await get('/v1/countries/AD'));
    const startSeconds = (performance.now() - startedAt) / 1000;
    if (status !== 200) throw new Error(`the server's first answer was ${status}`);
    return { pid: child.pid, port, key, startSeconds, get, stop, memory: () => memoryOf(child.pid) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the server on a key store with so many keys in it: `{ server, keys, stop }`. Options of startServer. */
export async function startServerWithKeys(keyCount, options) {
  const keys = [];
  for (let count = 0; count < keyCount; count++) keys.push(await createKey(options.store));
  const server = await startServer({ ...options, key: keys[0] });
  return { server, keys, stop: server.stop };
}

/** The first line like this that a process writes to its standard output. */
export function firstLine(child, pattern = /^/) {
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    // What it writes later is of no interest, but must not fill the pipe.
    lines.on('line', (line) => pattern.test(line) && resolve(line));
    child.once('close', () => reject(new Error(`the process ended before it listened: ${errors}`)));
  });
}

/** Asks 127.0.0.1: status, headers as they came and body. Options of node:http. */
export function request(options) {
  return new Promise((resolve, reject) => {
    httpGet({ host: '127.0.0.1', ...options }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status, rawHeaders } = response;
        resolve({ status, rawHeaders, body: Buffer.concat(chunks) });
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Resolves when the program has written a line like `line`; rejects with what it wrote where it ends before. */
export async function startProgram({ core, command, env = process.env, line }) {
  const [program, ...args] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const written = await firstLine(child, line);
  return {
    pid: child.pid,
    written,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A program of node that writes a line of JSON with its port once it listens. */
export async function startNodeServer({ core, script, args = [], env }) {
  const command = [process.execPath, script, ...args];
  const program = await startProgram({ core, command, env, line: /"port"/ });
  return { ...program, port: JSON.parse(program.written).port };
}

/** The peer that answers with what `writeCaptured` wrote. */
export function startBareServer(core, file) {
  return startNodeServer({ core, script: join(import.meta.dirname, 'bare-server.mjs'), args: [file] });
}

/** A Redis of its own, which keeps nothing on disk, with its `port` and its `url`; `options` are of redis-server. */
export async function startRedis(core, ...options) {
  const port = String(await freePort());
  const command = ['redis-server', '--port', port, '--bind', '127.0.0.1', '--save', '', ...options];
  const program = await startProgram({ core, command, line: /Ready to accept connections/ });
  return { ...program, port, url: `redis://127.0.0.1:${port}` };
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Headers that node writes by itself. */
const OF_NODE = ['date', 'connection', 'keep-alive'];

/** The answer to a target as the bare server wants it; `get` is that of startServer. */
export async function captureAnswer(get, target, headers = {}) {
  const { status, rawHeaders, body } = await get(target, headers);
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : []));
  return {
    target,
    status,
    headers: pairs.filter(([name]) => !OF_NODE.includes(name.toLowerCase())).flat(),
    body,
  };
}

export function writeCaptured(file, answers) {
  const lines = answers.map((answer) => JSON.stringify({ ...answer, body: answer.body.toString('base64') }));
  writeFileSync(file, lines.join('\n'));
}

export function headerOf({ headers }, name) {
  return headers[headers.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name) + 1];
}

/** Looks things up in a table, until its standard input ends. */
const NEIGHBOUR = `
process.stdin.on('end', () => process.exit()).resume();
const table = new Map(Array.from({ length: 20_000 }, (_, index) => ['key ' + index, index]));
let sum = 0;
(function work() {
  for (const key of table.keys()) sum += table.get(key);
  setImmediate(work);
})();
`;

/**
 * Keeps a core busy, at the scheduler's lowest priority, until what this returns is called. What runs on the other cores
 * then meets the same neighbour all the time: cores that a virtual machine calls two are often one core's two threads, and
 * without this a server whose client or store works harder would look slower itself. Rejects where it had ended before.
 */
export async function keepBusy(core) {
  const command = ['-c', String(core), 'chrt', '--idle', '0', process.execPath, '--eval', NEIGHBOUR];
  const child = spawn('taskset', command, { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`core ${core} was not kept busy: exit code ${child.exitCode}`);
      }
      child.stdin.end();
      await ended;
    },
  };
}

const SCRIPT = join(import.meta.dirname, 'rotate.lua');

/**
 * Asks the server `{pid, port}` for the targets in a file, one a line, with the keys in turn. Requests per second,
 * latencies in milliseconds, and microseconds of processor time for each request, of that process, of all that it started,
 * and of those of `helpers`, other processes that it asks: where other machines share the processor, the last is what can
 * be compared; of `store`, the process of a key store, apart. This process goes on meanwhile: what nobody reads of a server's log stops the server. Throws where a
 * request was not answered within 10 s, or not as expected: with a status below 400, or, where `areErrors`, above.
 */
export async function runWrk({
  cores,
  server: { pid, port, helpers = [] },
  store,
  targetFile,
  keys,
  seconds,
  areErrors = false,
  threads = 1,
  connections = 64,
}) {
  const limits = [`-t${threads}`, `-c${connections}`, '--timeout', '10s', `-d${seconds}s`];
  const wrk = ['wrk', ...limits, '-s', SCRIPT, `http://127.0.0.1:${port}`, '--', targetFile, ...keys];
  const pids = [pid, ...helpers];
  const stores = store === undefined ? [] : [store];
  const cpuSecondsBefore = cpuSecondsOfTrees(pids);
  const storeSecondsBefore = cpuSecondsOfTrees(stores);
  const child = spawn('taskset', ['-c', String(cores), ...wrk], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`wrk ended with status ${status}\n${stdout}${stderr}`);
  const { requests, microseconds, p50, p99, broken, late, refused } = JSON.parse(stdout.trim().split('\n').at(-1));
  if (refused !== (areErrors ? requests : 0) || broken + late > 0)
    throw new Error(`not all were answered: ${stdout}${stderr}`);
  const cpuMicroseconds = ((cpuSecondsOfTrees(pids) - cpuSecondsBefore) * 1e6) / requests;
  const storeMicroseconds = ((cpuSecondsOfTrees(stores) - storeSecondsBefore) * 1e6) / requests;
  const times = { p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
  return { perSecond: (requests * 1e6) / microseconds, ...times, cpuMicroseconds, storeMicroseconds };
}

const WARM_UP_SECONDS = 2;
/** Of one round of one server; BENCH_SECONDS where another length is wanted, of which wrk takes whole seconds. */
const ROUND_SECONDS = 3;

/**
 * The figures of each load over rounds, the loads in turn, behind a short round that does not count. A load is what runWrk
 * takes, without `seconds`, or a function that gives it.
 */
export function loadInTurn(loads, roundCount = 5, roundSeconds = ROUND_SECONDS) {
  const seconds = Math.ceil(Number(process.env.BENCH_SECONDS ?? roundSeconds));
  return runRounds(Object.keys(loads), roundCount, (name, round) => {
    const load = typeof loads[name] === 'function' ? loads[name]() : loads[name];
    return runWrk({ ...load, seconds: round === 0 ? Math.min(seconds, WARM_UP_SECONDS) : seconds });
  });
}

/** Calls `use(start)`; what `start` was given, promises of what has a `stop`, is stopped at the end, the last first. */
export async function withPrograms(use) {
  const stops = [];
  const start = (starting) => {
    stops.push(async () => (await starting.catch(() => undefined))?.stop());
    return starting;
  };
  let interrupt;
  const interruption = new Promise((_, reject) => {
    interrupt = (signal) => reject(new Error(`ended by ${signal}`));
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  try {
    return await Promise.race([use(start), interruption]);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
    for (const stop of stops.reverse()) await stop();
  }
}
