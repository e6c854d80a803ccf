/** Programs that a benchmark starts for itself, bound to a core or not, and stops by their process ids. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { firstLine } from './server-process.mjs';

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

/** The peer that answers with what `writeCaptured` (captured.mjs) wrote. */
export function startBareServer(core, file) {
  return startNodeServer({ core, script: join(import.meta.dirname, 'bare-server.mjs'), args: [file] });
}

/** A Redis of its own, which keeps nothing on disk, with its `url`. */
export async function startRedis(core) {
  const port = await freePort();
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  const program = await startProgram({ core, command, line: /Ready to accept connections/ });
  return { ...program, url: `redis://127.0.0.1:${port}` };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
