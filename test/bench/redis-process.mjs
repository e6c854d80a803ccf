/** A Redis as a process of its own, on a free port of loopback, that writes nothing to disk. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { firstLine } from './server-process.mjs';

/** Starts it and waits until it listens; `core` binds it to one core. */
export async function startRedis({ core } = {}) {
  const port = await freePort();
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  if (core !== undefined) command.unshift('taskset', '-c', String(core));
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  await firstLine(child, /Ready to accept connections/);
  return {
    address: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
