/**
 * `npm run bench:start [-- <snapshot>]`: how long the programs take to start, beside `node -e 0`, which is what any program
 * of node takes. A server's time is from its spawn to its first answer, 200, to a request with a key, and the site's to its
 * home page; a command's is from its spawn to its end. Servers run as in production, with an operators' port, so that they
 * count metrics. Eleven rounds, all programs in turn, behind one that does not count; medians. Private memory is that of
 * all the server's processes, half a second after the first answer. Redis is left out where there is no `redis-server`.
 * Takes about a minute.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { count, medianOf, printTable } from './measuring.mjs';
import { childrenOf, memoryOf } from './process-figures.mjs';
import { startNodeServer, startRedis } from './programs.mjs';
import { createKey, request, startServer } from './server-process.mjs';

const ROUNDS = 11;
const SETTLE_MS = 500;
const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const BARE = 'node -e 0';
const COMMANDS = [['--version'], ['--help'], ['completion', 'bash'], ['keys', '--help'], ['build', '--help']];

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
if (!existsSync(snapshot)) {
  process.stderr.write(`bench:start: there is no snapshot ${snapshot}; name one: npm run bench:start -- <snapshot>\n`);
  process.exit(2);
}
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const redis = hasRedis ? await startRedis() : undefined;
try {
  await measure();
} finally {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const programs = await listPrograms();
  const rounds = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    process.stderr.write(round === 0 ? 'a round that does not count\n' : `round ${round} of ${ROUNDS}\n`);
    for (const [name, run] of Object.entries(programs)) {
      const figures = await run();
      if (round > 0) rounds[name].push(figures);
    }
  }
  const bareMs = medianOf(rounds[BARE], 'ms');
  const rows = Object.entries(rounds).map(([name, figures]) => {
    const ms = medianOf(figures, 'ms');
    const megabytes = figures[0].ownBytes === undefined ? '' : (medianOf(figures, 'ownBytes') / 1e6).toFixed(1);
    return [name, count(ms), (ms / bareMs).toFixed(2), megabytes];
  });
  process.stdout.write(`\n${snapshot}\n\n`);
  printTable(['program', 'ms', `of ${BARE}`, 'private MB'], rows);
}

/** By their names, what starts each program once and gives its figures. */
async function listPrograms() {
  const embedded = await withKey(join(folder, 'keys'));
  const shared = redis && (await withKey(redis.url));
  return {
    [BARE]: () => runToEnd(['-e', '0']),
    'server, embedded keys': () => runServer(embedded),
    'server, two workers': () => runServer({ ...embedded, workers: 2 }),
    ...(shared && { 'server, Redis': () => runServer(shared) }),
    site: runSite,
    ...Object.fromEntries(COMMANDS.map((args) => [args.join(' '), () => runToEnd([PROGRAM, ...args])])),
  };
}

async function withKey(store) {
  return { store, key: await createKey(store) };
}

async function runServer(options) {
  const server = await startServer({ snapshot, ...options });
  await wait(SETTLE_MS);
  const ownBytes = [server.pid, ...childrenOf(server.pid)].reduce((sum, pid) => sum + memoryOf(pid).ownBytes, 0);
  await server.stop();
  return { ms: server.startSeconds * 1000, ownBytes };
}

async function runSite() {
  const variables = { SNAPSHOT: snapshot, SITE_PORT: '0', SITE_ADMIN_PORT: '0' };
  const env = { ...process.env, NODE_ENV: 'production', ...variables };
  const startedAt = performance.now();
  const site = await startNodeServer({ script: PROGRAM, args: ['site'], env });
  const { status } = await request({ port: site.port, path: '/' });
  const ms = performance.now() - startedAt;
  if (status !== 200) throw new Error(`the site's first answer was ${status}`);
  await wait(SETTLE_MS);
  const { ownBytes } = memoryOf(site.pid);
  await site.stop();
  return { ms, ownBytes };
}

async function runToEnd(args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with code ${code}`);
  return { ms: performance.now() - startedAt };
}
