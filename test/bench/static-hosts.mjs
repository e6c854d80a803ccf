/**
 * Real static hosts on the loopback interface, started and stopped by their process ids: nginx, and an S3 server, which
 * is `rclone serve s3` where rclone has it (from 1.65 on), and otherwise s3rver, as with Debian 12's rclone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const DEBIAN_PACKAGES = { nginx: 'nginx-light', rclone: 'rclone', minisign: 'minisign' };
const VERSION_FLAGS = { nginx: '-v', rclone: 'version', minisign: '-v' };
/** rclone reads and writes no configuration of this user; with AWS_CA_BUNDLE its S3 does not start. */
const RCLONE_ENV = { ...process.env, RCLONE_CONFIG: '/dev/null', AWS_CA_BUNDLE: undefined };
const S3RVER = join(import.meta.dirname, 's3/node_modules/s3rver/bin/s3rver.js');
const INSTALL_S3RVER = 'npm ci --prefix test/bench/s3 --ignore-scripts';
/** The only key that s3rver knows; `rclone serve s3` takes any. Both let everybody read. */
const S3_KEY = 'S3RVER';
const BUCKET = 'places';
/** Maximum time in which a host must answer its first request, in milliseconds. */
const START_LIMIT_MS = 20_000;

export function requireStaticHosts(programs) {
  const isMissing = (program) => spawnSync(program, [VERSION_FLAGS[program]]).error !== undefined;
  const missing = programs.filter((program) => program !== 's3' && isMissing(program));
  if (missing.length > 0) {
    const packages = missing.map((program) => DEBIAN_PACKAGES[program]);
    throw new Error(`${missing.join(' and ')} missing: sudo apt-get install --yes ${packages.join(' ')}`);
  }
  if (programs.includes('s3') && !rcloneServesS3() && !existsSync(S3RVER)) {
    throw new Error(`this rclone has no S3 server, and s3rver is missing: ${INSTALL_S3RVER}`);
  }
}

function rcloneServesS3() {
  const { stdout, error } = spawnSync('rclone', ['serve', '--help'], { encoding: 'utf8' });
  return error === undefined && /^ +s3 /m.test(stdout);
}

export async function startNginx(folder, scratch) {
  mkdirSync(scratch, { recursive: true });
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(scratch, kind)};`,
  );
  const config = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${join(scratch, 'pid')}; error_log ${join(scratch, 'error.log')};
    events { worker_connections 512; }
    http { access_log off; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port}; root ${folder}; } }`;
  const path = join(scratch, 'nginx.conf');
  writeFileSync(path, config);
  return await started('nginx', ['-p', scratch, '-c', path], `http://127.0.0.1:${port}/`);
}

export async function startS3(folder) {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  mkdirSync(join(folder, BUCKET), { recursive: true });
  const isRclone = rcloneServesS3();
  const host = isRclone
    ? // Otherwise rclone shows what a folder had up to five minutes ago.
      await started(
        'rclone',
        ['serve', 's3', '--addr', `127.0.0.1:${port}`, '--dir-cache-time', '0s', folder],
        endpoint,
      )
    : await started(process.execPath, s3rverArgs(folder, port), endpoint);
  const credentials = `access_key_id=${S3_KEY},secret_access_key=${S3_KEY}`;
  const target = `:s3,provider=Other,endpoint="${endpoint}",${credentials}:${BUCKET}`;
  return {
    ...host,
    url: `${endpoint}/${BUCKET}/`,
    program: isRclone ? 'rclone serve s3' : 's3rver',
    sync(from) {
      // The channels come last: a follower must never read of what is not there.
      for (const order of [['--exclude', '/channels/**'], []]) {
        const all = ['sync', from, target, '--exclude', '.*', '--exclude', '.*/**', ...order];
        const { status, stderr } = spawnSync('rclone', all, { encoding: 'utf8', timeout: 120_000, env: RCLONE_ENV });
        if (status !== 0) throw new Error(`rclone ${all.join(' ')}: ${stderr}`);
      }
    },
  };
}

/** A bucket by path alone: 127.0.0.1 is no name of one. */
function s3rverArgs(folder, port) {
  const address = ['--address', '127.0.0.1', '--port', String(port), '--no-vhost-buckets', '--silent'];
  return [S3RVER, '--directory', folder, ...address, '--configure-bucket', BUCKET];
}

async function started(program, args, url) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: RCLONE_ENV,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-4_000);
    });
  }
  const ended = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  };
  for (const deadline = performance.now() + START_LIMIT_MS; ; await wait(50)) {
    if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}: ${output}`);
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return { url, stop };
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${program} did not answer at ${url}: ${output}`);
    }
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
