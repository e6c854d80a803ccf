/**
 * The peer's processes: the first one starts as many workers as its second argument says, which share a port, and shares
 * out CONNECTIONS to the database among them; its first argument is the folder of the database's socket. It prints its
 * port as one line of JSON once all workers listen, and all end with its standard input.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import pg from 'pg';
import { createApp } from './app.mjs';

/** Of all workers together. */
const CONNECTIONS = 32;

const [socketFolder, workerCount] = process.argv.slice(2);
if (cluster.isPrimary) await startSupervisor(Number(workerCount));
else await serve(Math.max(1, Math.floor(CONNECTIONS / Number(workerCount))));

async function startSupervisor(count) {
  // A worker has no business to end.
  cluster.on('exit', (_, code) => process.exit(code || 1));
  process.stdin.on('end', () => process.exit()).resume();
  const workers = Array.from({ length: count }, () => cluster.fork());
  const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  process.stdout.write(`${JSON.stringify({ port: addresses[0][0].port })}\n`);
}

async function serve(max) {
  const pool = new pg.Pool({ host: socketFolder, user: 'peer', database: 'postgres', max, idleTimeoutMillis: 0 });
  const app = await createApp(pool);
  app.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
}
