/**
 * The real server as a process of its own, for measuring and checking it from outside: started on a free port with a
 * key store and a key made for it, asked over one kept-alive connection, and stopped by its process id.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get as httpGet } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { memoryOf } from './process-figures.mjs';

const DIST = join(import.meta.dirname, '../../dist');

/** Of the plan for measuring: with limits, so that they are checked and told, but none that is ever reached. */
const PLAN = 'bench';
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  [PLAN]: { requestsPerMonth: 1e12, requestsPerSecond: 1e6, burst: 1e6 },
});

/** Makes a key in a key store, a folder or the address of a Redis. */
export async function createKey(store) {
  const { run } = await import(join(DIST, 'cli/run.js'));
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
  const command = [process.execPath, join(DIST, 'cli/main.js'), 'serve'];
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
    const { status } = await get('/v1/countries/AD');
    const startSeconds = (performance.now() - startedAt) / 1000;
    if (status !== 200) throw new Error(`the server's first answer was ${status}`);
    return { pid: child.pid, port, key, startSeconds, get, stop, memory: () => memoryOf(child.pid) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the server on a key store with so many keys in it: `{ server, keys }`. Options of startServer. */
export async function startServerWithKeys(keyCount, options) {
  const keys = [];
  for (let count = 0; count < keyCount; count++) keys.push(await createKey(options.store));
  return { server: await startServer({ ...options, key: keys[0] }), keys };
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
