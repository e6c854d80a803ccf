/** How long it takes to open a snapshot, and to start a server on it, for several snapshots in turn. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf, runRounds } from '../measuring.mjs';
import { createKey, startServer } from '../server-process.mjs';

const OPENINGS = 15;
const STARTS = 9;

/** For each file `{ ms, cpuMs, startMs }`: opening it, the processor time of that, and a server's first answer. */
export async function timeOpening(files) {
  const openings = await runRounds(files, OPENINGS, (file) =>
    JSON.parse(execFileSync(process.execPath, [join(import.meta.dirname, 'opening-program.mjs'), file])),
  );
  const starts = await timeStarts(files);
  return files.map((file) => ({
    ms: medianOf(openings[file], 'ms'),
    cpuMs: medianOf(openings[file], 'cpuMs'),
    startMs: medianOf(starts[file], 'ms'),
  }));
}

async function timeStarts(files) {
  const rounds = Object.fromEntries(files.map((file) => [file, []]));
  const store = mkdtempSync(join(tmpdir(), 'postal-bench-'));
  try {
    const key = await createKey(store);
    for (let round = 0; round < STARTS; round++) {
      for (const file of files) {
        const server = await startServer({ snapshot: file, store, key });
        rounds[file].push({ ms: server.startSeconds * 1000 });
        await server.stop();
      }
    }
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
  return rounds;
}
