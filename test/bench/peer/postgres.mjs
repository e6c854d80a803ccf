/**
 * A PostgreSQL server with PostGIS of the benchmark's own: a fresh cluster in a temporary folder, reached by a socket
 * inside that folder and by nothing else, so no cluster that the machine has already is looked at, let alone changed. A
 * machine without the programs gets Debian's packages where this runs as root. PostgreSQL refuses to run as root: its
 * processes then run as the user nobody, who owns the folder.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const PROGRAMS = '/usr/lib/postgresql';
const EXTENSIONS = '/usr/share/postgresql';
const INSTALL = 'apt-get install --yes --no-install-recommends --no-upgrade postgresql-15 postgresql-15-postgis-3';
/** Where Debian's scripts look up whether a newly installed PostgreSQL gets a cluster that starts by itself. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.d';
const START_MS = 60_000;
const TAIL_CHARACTERS = 4_000;

/** Of a machine that serves short reads of data which fit into memory, and holds nothing that a crash could lose. */
const SETTINGS = {
  listen_addresses: '',
  max_connections: '50',
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '16MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'off',
  full_page_writes: 'off',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Each statement has one good plan, whatever its parameters; planning again would cost more than most answers.
  plan_cache_mode: 'force_generic_plan',
};

/**
 * Starts the server: `connection` is what a client of it is made with, `pid` its first process, `programs` the folder of
 * psql and its like. `stop` ends it and removes its folder. Installs its programs where they are missing. Throws where that
 * fails, and with what the server wrote where it does not start.
 */
export async function startPostgres() {
  const programs = findPrograms() ?? installPrograms();
  const owner = process.getuid() === 0 ? idsOf('nobody') : {};
  const folder = mkdtempSync(join(tmpdir(), 'postal-peer-'));
  let server;
  const stop = async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    const data = join(folder, 'data');
    const options = ['--no-locale', '--encoding=UTF8', '--auth=trust', '--username=peer', '--no-sync', '-D', data];
    execFileSync(join(programs, 'initdb'), options, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    server = spawnServer(programs, data, folder, owner);
    const connection = { host: folder, user: 'peer', database: 'postgres' };
    await untilItAnswers(connection, server);
    return { connection, pid: server.pid, programs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The programs of the latest version that has PostGIS; undefined where none has. */
function findPrograms() {
  const versions = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a)) : [];
  // Debian has PostGIS in two packages: the library, and the scripts that make its functions.
  const version = versions.find((name) =>
    [
      join(PROGRAMS, name, 'bin/initdb'),
      join(PROGRAMS, name, 'lib/postgis-3.so'),
      join(EXTENSIONS, name, 'extension/postgis.control'),
    ].every((file) => existsSync(file)),
  );
  return version && join(PROGRAMS, version, 'bin');
}

/** Why this machine can't have the server, as a line to print; undefined where it can. */
export function problemOfPrograms() {
  const canInstall = process.getuid() === 0 && spawnSync('apt-get', ['--version']).error === undefined;
  return canInstall || findPrograms() !== undefined
    ? undefined
    : `PostgreSQL with PostGIS is missing; on Debian, as root: ${INSTALL}`;
}

function installPrograms() {
  process.stderr.write(`installing PostgreSQL with PostGIS: ${INSTALL}\n`);
  withoutMainCluster(() => {
    // Without lists of packages, as in a fresh container, the first try fails.
    if (!runApt(INSTALL) && !(runApt('apt-get update') && runApt(INSTALL))) throw new Error(`failed: ${INSTALL}`);
  });
  const programs = findPrograms();
  if (programs === undefined) throw new Error(`there is no PostgreSQL with PostGIS below ${PROGRAMS} after ${INSTALL}`);
  return programs;
}

/** Debian's packages would make a cluster, and start it, where PostgreSQL is new to the machine. */
function withoutMainCluster(install) {
  const madeFolder = mkdirSync(CLUSTER_SETTINGS, { recursive: true });
  const file = join(CLUSTER_SETTINGS, 'postal-peer.conf');
  writeFileSync(file, 'create_main_cluster = false\n');
  try {
    install();
  } finally {
    rmSync(file);
    if (madeFolder !== undefined && readdirSync(CLUSTER_SETTINGS).length === 0) rmdirSync(CLUSTER_SETTINGS);
  }
}

function runApt(command) {
  const [program, ...args] = command.split(' ');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function idsOf(user) {
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, user], { encoding: 'utf8' })));
  return { uid, gid };
}

/** A group of its own keeps a terminal's SIGINT from the server, which is stopped behind those that ask it. */
function spawnServer(programs, data, socketFolder, owner) {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketFolder });
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const options = { ...owner, cwd: data, detached: true, stdio: ['ignore', 'ignore', 'pipe'] };
  const child = spawn(join(programs, 'postgres'), args, options);
  let tail = '';
  child.stderr.on('data', (chunk) => {
    tail = (tail + chunk).slice(-TAIL_CHARACTERS);
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid,
    hasEnded,
    written: () => tail,
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      // Fast shutdown: connections are cut.
      child.kill('SIGINT');
      await ended;
    },
  };
}

async function untilItAnswers(connection, server) {
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    const client = new pg.Client(connection);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (server.hasEnded() || performance.now() > deadlineMs) {
        throw new Error(`PostgreSQL did not start: ${server.written()}`, { cause });
      }
    }
    await wait(100);
  }
}
