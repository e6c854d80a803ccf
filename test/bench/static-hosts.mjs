/** Real static hosts on the loopback interface, started and stopped by their process ids: nginx, and rclone. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const DEBIAN_PACKAGES = { nginx: 'nginx-light', rclone: 'rclone', minisign: 'minisign' };
const VERSION_FLAGS = { nginx: '-v', rclone: 'version', minisign: '-v' };
/** rclone reads and writes no configuration of this user. */
const RCLONE_ENV = { ...process.env, RCLONE_CONFIG: '/dev/null' };
const BUCKET = 'places';
/** Maximum time in which a host must answer its first request, in milliseconds. */
const START_LIMIT_MS = 20_000;

export function requireStaticHosts(programs) {
  const missing = programs.filter((program) => spawnSync(program, [VERSION_FLAGS[program]]).error !== undefined);
  if (missing.length === 0) return;
  const packages = missing.map((program) => DEBIAN_PACKAGES[program]);
  throw new Error(`${missing.join(' and ')} missing: sudo apt-get install --yes ${packages.join(' ')}`);
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

export async function startRclone(folder) {
  const port = await freePort();
  mkdirSync(join(folder, BUCKET), { recursive: true });
  const help = spawnSync('rclone', ['serve', '--help'], { encoding: 'utf8' }).stdout;
  const protocol = /^ +s3 /m.test(help) ? 's3' : 'http';
  // Otherwise rclone shows what a folder had up to five minutes ago.
  const args = ['serve', protocol, '--addr', `127.0.0.1:${port}`, '--dir-cache-time', '0s', folder];
  const endpoint = `http://127.0.0.1:${port}`;
  const target =
    protocol === 's3'
      ? `:s3,provider=Other,endpoint="${endpoint}",access_key_id=key,secret_access_key=secret:${BUCKET}`
      : join(folder, BUCKET);
  return {
    ...(await started('rclone', args, `${endpoint}/${BUCKET}/`)),
    protocol,
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
