/**
 * `npm run bench:channels -- <snapshot>`: what publishing a snapshot to a channel costs, once and again, and what a
 * machine that pulls it from nginx fetches: the first time, and the same release again. Prints the bytes, the processor
 * time and the greatest resident memory of each program. Needs nginx.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { printTable } from './measuring.mjs';
import { requireStaticHosts, startNginx } from './static-hosts.mjs';

const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');

const snapshot = resolve(process.argv[2] ?? '');
if (process.argv[2] === undefined || !existsSync(snapshot)) {
  process.stderr.write('bench:channels: name a snapshot: npm run bench:channels -- <snapshot>\n');
  process.exit(2);
}
requireStaticHosts(['nginx']);
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const inFolder = (name) => join(folder, name);

try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  run(['signing-key', 'create', '--out', inFolder('key')]);
  const publish = () => run(['publish', snapshot, '--to', inFolder('hosted'), '--signing-key', inFolder('key')]);
  const published = [publish(), publish()];
  const host = await startNginx(inFolder('hosted'), inFolder('nginx'));
  try {
    const pull = () => run(['pull', host.url, '--to', inFolder('served'), '--key', inFolder('key.pub')]);
    const rows = [
      ['publish', published[0], published[0].bytesWritten],
      ['publish again', published[1], published[1].bytesWritten],
      ...['pull', 'pull again'].map((name) => {
        const report = pull();
        return [name, report, report.bytesFetched];
      }),
    ];
    const { bytes } = published[0];
    process.stdout.write(`\n${snapshot}, ${megabytes(bytes)} MB\n\n`);
    printTable(
      ['', 'MB', 'share', 'CPU seconds', 'peak MB'],
      rows.map(([name, { cpuSeconds, peakBytes }, moved]) => [
        ...[name, megabytes(moved), `${((100 * moved) / bytes).toFixed(1)} %`],
        ...[cpuSeconds.toFixed(1), megabytes(peakBytes)],
      ]),
    );
  } finally {
    await host.stop();
  }
}

/** Runs the program to its end: its report, processor time, and greatest resident memory. */
function run(args) {
  process.stderr.write(`${args.join(' ')}\n`);
  const usage = inFolder('usage');
  const script = `import { writeFileSync } from 'node:fs'; import { isMainThread } from 'node:worker_threads';
    if (isMainThread) process.once('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage())));`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, PROGRAM, ...args, '--json'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usage, 'utf8'));
  return { ...JSON.parse(stdout), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakBytes: maxRSS * 1024 };
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
