/** Load by wrk: 64 connections unless told otherwise, each asking for the next target as soon as it was answered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cpuSecondsOfTrees } from './process-figures.mjs';

const SCRIPT = join(import.meta.dirname, 'rotate.lua');

/**
 * Asks the server `{pid, port}` for the targets in a file, one a line, with the keys in turn. Requests per second,
 * latencies in milliseconds, and microseconds of processor time for each request, of that process, of all that it started,
 * and of those of `helpers`, other processes that it asks: where other machines share the processor, the last is what can
 * be compared. This process goes on meanwhile: what nobody reads of a server's log stops the server. Throws where a
 * request was not answered within 10 s, or not as expected: with a status below 400, or, where `areErrors`, above.
 */
export async function runWrk({
  cores,
  server: { pid, port, helpers = [] },
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
  const cpuSecondsBefore = cpuSecondsOfTrees(pids);
  const child = spawn('taskset', ['-c', String(cores), ...wrk], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`wrk ended with status ${status}\n${stdout}${stderr}`);
  const { requests, microseconds, p50, p99, broken, late, refused } = JSON.parse(stdout.trim().split('\n').at(-1));
  if (refused !== (areErrors ? requests : 0) || broken + late > 0)
    throw new Error(`not all were answered: ${stdout}${stderr}`);
  const cpuMicroseconds = ((cpuSecondsOfTrees(pids) - cpuSecondsBefore) * 1e6) / requests;
  return { perSecond: (requests * 1e6) / microseconds, p50Ms: p50 / 1000, p99Ms: p99 / 1000, cpuMicroseconds };
}
