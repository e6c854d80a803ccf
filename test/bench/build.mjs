/**
 * `npm run bench:build [-- [<part>] [<release folder>] [<snapshot>]]`: what a release costs from its rows to a server's first
 * answer. The release is by default the newest folder in ../shared/geonames beside the project.
 *
 * - `build`: compiling a release, beside a baseline that only reads and splits the same rows on one thread, and twice the
 *   rows. Each in a process of its own, from start to exit. Peak memory is the build's own figure, with all threads.
 * - `full`: the countries with full codes that the release has, without and with their files of full codes: GB's of the
 *   release, and files of true size and shape of NL and CA.
 * - `publish`: beside a plain copy of the file that is synced and read once. Copies lie in the system's temporary folder.
 * - `channels`: publishing to a channel, once and again, and pulling that from nginx, the first time and again.
 * - `start`: programs beside `node -e 0`. A server's time is from its spawn to its first answer to a request with a key, and
 *   the site's to its home page; a command's is from its spawn to its end. Private memory is that of all the server's
 *   processes, half a second after the first answer. Redis is left out where there is no `redis-server`.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { unzipSync, zipSync } from 'fflate';
import { fullCodeLines } from '../fixtures/full-codes.mjs';
import { childrenOf, memoryOf } from '../fixtures/process-figures.mjs';
import { requireStaticHosts, startNginx } from '../fixtures/static-hosts.mjs';
import {
  count,
  fail,
  medianOf,
  megabytes,
  PROGRAM,
  printTable,
  ROOT,
  requireSnapshot,
  runParts,
  runRounds,
  timeCommand,
} from './measuring.mjs';
import { createKey, request, startNodeServer, startRedis, startServer, withPrograms } from './programs.mjs';

const BARE = 'node -e 0';
const COMMANDS = [['--version'], ['build', '--help'], ['keys', '--help']];
const SETTLE_MS = 500;
const PLACE_NAME_COLUMN = 2;
/** The form of second parts (full-codes.mjs) and the number of full codes, of the countries whose full file is made up. */
const MADE_FULL_CODES = { NL: ['@@', 460_000], CA: ['#@#', 880_000] };

const isFolder = (path) => existsSync(path) && statSync(path).isDirectory();
const snapshotOf = (args) => requireSnapshot(args.find((path) => !isFolder(path)));

await runParts({
  build: (args, folder) => measureBuild(args.find(isFolder) ?? newestRelease(), folder),
  full: (args, folder) => measureFull(args.find(isFolder) ?? newestRelease(), folder),
  publish: (args, folder) => measurePublish(snapshotOf(args), folder),
  channels: (args, folder) => measureChannels(snapshotOf(args), folder),
  start: (args, folder) => measureStart(snapshotOf(args), folder),
});

function newestRelease() {
  const releases = process.env.GEONAMES_RELEASES ?? join(ROOT, '../shared/geonames');
  const newest = existsSync(releases)
    ? readdirSync(releases).findLast((name) => existsSync(join(releases, name, 'countryInfo.txt')))
    : undefined;
  return newest === undefined ? fail('no release found; name its folder behind the part') : join(releases, newest);
}

async function measureBuild(named, folder) {
  const release = resolve(named);
  const doubled = join(folder, 'doubled');
  mkdirSync(doubled);
  const doubledRowCount = writeDoubledRelease(release, doubled);
  const build = (from) => [PROGRAM, 'build', from, '--out', join(folder, 'places.snapshot'), '--json'];
  const commands = {
    'read and split, one thread': [join(import.meta.dirname, 'read-rows.mjs'), release],
    build: build(release),
    'build, twice the rows': build(doubled),
  };
  const names = Object.keys(commands);
  const run = (name) => {
    const { stdout, ...figures } = timeCommand([process.execPath, ...commands[name]]);
    return { ...figures, ...JSON.parse(stdout) };
  };
  const rounds = await runRounds(names, 3, run, { hasWarmUp: false });
  const baseline = rounds[names[0]];
  const rowCount = baseline[0].rowCount;
  const rows = names.map((name, at) => {
    const seconds = medianOf(rounds[name], 'seconds');
    const { bytes, peakMemoryBytes } = rounds[name][0];
    return [
      ...[name, count(at === 2 ? doubledRowCount : rowCount), seconds.toFixed(2)],
      medianOf(rounds[name], 'cpuSeconds').toFixed(2),
      (seconds / medianOf(baseline, 'seconds')).toFixed(1),
      peakMemoryBytes === undefined ? '' : megabytes(medianOf(rounds[name], 'peakMemoryBytes')),
      bytes === undefined ? '' : megabytes(bytes),
    ];
  });
  process.stdout.write(`${release}\n\n`);
  printTable(['program', 'rows', 'seconds', 'CPU seconds', 'of reading', 'peak MB', 'file MB'], rows);
  const phasesOf = (name) => rounds[name].map(({ secondsByPhase }) => secondsByPhase);
  printTable(
    ['phase (sum over threads)', 'seconds', 'twice the rows'],
    Object.keys(rounds.build[0].secondsByPhase).map((phase) => [
      phase,
      ...names.slice(1).map((name) => medianOf(phasesOf(name), phase).toFixed(2)),
    ]),
  );
}

/**
 * Writes each country's rows as they are and once more under the place name with " Zwei" behind it. Units and codes stay
 * the same, so each has twice the leaves, as when a country's data grows denser. The number of rows written.
 */
function writeDoubledRelease(release, folder) {
  let rowCount = 0;
  for (const file of readdirSync(release).filter((name) => /^[A-Z]{2}\.zip$/.test(name))) {
    const entry = file.replace('.zip', '.txt');
    const text = Buffer.from(unzipSync(readFileSync(join(release, file)))[entry]).toString('utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    const again = lines.map((line) => {
      const columns = line.split('\t');
      columns[PLACE_NAME_COLUMN] += ' Zwei';
      return columns.join('\t');
    });
    rowCount += lines.length * 2;
    const content = Buffer.from(`${[...lines, ...again].join('\n')}\n`);
    writeFileSync(join(folder, file), zipSync({ [entry]: content }, { level: 1, mtime: '2000-01-02' }));
  }
  writeFileSync(join(folder, 'countryInfo.txt'), readFileSync(join(release, 'countryInfo.txt')));
  return rowCount;
}

async function measureFull(release, folder) {
  const others = Object.keys(MADE_FULL_CODES).filter((code) => existsSync(join(release, `${code}.zip`)));
  const all = (isFull) => Object.fromEntries(['GB', ...others].map((code) => [code, isFull]));
  const countries = {
    'GB, first parts': { GB: false },
    'GB, full codes': { GB: true },
    'all of them, first parts': all(false),
    'all of them, full codes': all(true),
  };
  Object.values(countries).forEach((codes, at) => {
    const to = join(folder, `release-${at}`);
    mkdirSync(to);
    copyFileSync(join(release, 'countryInfo.txt'), join(to, 'countryInfo.txt'));
    for (const [code, isFull] of Object.entries(codes)) {
      copyFileSync(join(release, `${code}.zip`), join(to, `${code}.zip`));
      if (!isFull) continue;
      const [form, codeCount] = MADE_FULL_CODES[code] ?? [];
      if (form === undefined) {
        copyFileSync(join(release, `${code}_full.csv.zip`), join(to, `${code}_full.csv.zip`));
        continue;
      }
      const text = Buffer.from(unzipSync(readFileSync(join(release, `${code}.zip`)))[`${code}.txt`]).toString('utf8');
      const lines = text.split('\n').filter((line) => line !== '');
      writeFileSync(join(to, `${code}_full.txt`), `${fullCodeLines(lines, form, codeCount, 1).join('\n')}\n`);
    }
  });
  const names = Object.keys(countries);
  const run = (name) => {
    const from = join(folder, `release-${names.indexOf(name)}`);
    const command = [process.execPath, PROGRAM, 'build', from, '--out', join(folder, 'full.snapshot'), '--json'];
    const { stdout, ...figures } = timeCommand(command);
    return { ...figures, ...JSON.parse(stdout) };
  };
  const rounds = await runRounds(names, 3, run, { hasWarmUp: false });
  const rows = names.map((name) => {
    const { sections, fullCodes } = rounds[name][0];
    const codeCount = fullCodes.reduce((sum, { codesTaken }) => sum + codesTaken, 0);
    const bytes = sections.find((section) => section.name === 'full-codes')?.bytes ?? 0;
    return [
      ...[name, count(codeCount), medianOf(rounds[name], 'cpuSeconds').toFixed(2)],
      megabytes(medianOf(rounds[name], 'peakMemoryBytes')),
      megabytes(bytes),
      codeCount === 0 ? '' : (bytes / codeCount).toFixed(2),
    ];
  });
  printTable(['build', 'full codes', 'CPU seconds', 'peak MB', 'section MB', 'bytes a code'], rows);
}

async function measurePublish(snapshot, folder) {
  const [copy, published] = [join(folder, 'copy'), join(folder, 'published')];
  const plain = 'copy, sync, read';
  const publish = (isNew) => {
    if (isNew) rmSync(published, { recursive: true, force: true });
    const { stdout, ...times } = timeCommand([
      process.execPath,
      PROGRAM,
      'publish',
      snapshot,
      '--to',
      published,
      '--json',
    ]);
    if (JSON.parse(stdout.split('\n')[0]).copied !== isNew) throw new Error(`copied or not: ${stdout}`);
    return times;
  };
  /** In this order: what is there already was published a moment before. */
  const programs = {
    [plain]: () => {
      const script = 'cp "$1" "$2" && sync "$2" && cat "$2" > /dev/null';
      const times = timeCommand(['sh', '-c', script, 'sh', snapshot, copy]);
      rmSync(copy);
      return times;
    },
    publish: () => publish(true),
    'publish what is there': () => publish(false),
  };
  const rounds = await runRounds(Object.keys(programs), 9, (name) => {
    // What was written and removed before is no business of the next program.
    spawnSync('sync');
    return programs[name]();
  });
  printTable(
    ['', 'seconds', 'of copying', 'CPU seconds', 'of copying'],
    Object.keys(programs).map((name) => [
      name,
      ...['seconds', 'cpuSeconds'].flatMap((figure) => {
        const value = medianOf(rounds[name], figure);
        return [value.toFixed(2), (value / medianOf(rounds[plain], figure)).toFixed(2)];
      }),
    ]),
  );
}

async function measureChannels(snapshot, folder) {
  requireStaticHosts(['nginx']);
  const inFolder = (name) => join(folder, name);
  /** Runs the program to its end: its report, processor time, and greatest resident memory. */
  const run = (...args) => {
    const script = `import { writeFileSync } from 'node:fs'; import { isMainThread } from 'node:worker_threads';
      if (isMainThread) process.once('exit', () =>
        writeFileSync(${JSON.stringify(inFolder('usage'))}, JSON.stringify(process.resourceUsage())));`;
    const options = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
    const { stdout } = timeCommand([process.execPath, ...options, PROGRAM, ...args, '--json']);
    return { ...JSON.parse(stdout), ...JSON.parse(readFileSync(inFolder('usage'), 'utf8')) };
  };
  run('signing-key', 'create', '--out', inFolder('key'));
  const publish = () => run('publish', snapshot, '--to', inFolder('hosted'), '--signing-key', inFolder('key'));
  const [first, again] = [publish(), publish()];
  const row = (name, { userCPUTime, systemCPUTime, maxRSS }, moved) => [
    ...[name, megabytes(moved), `${((100 * moved) / first.bytes).toFixed(1)} %`],
    ...[((userCPUTime + systemCPUTime) / 1e6).toFixed(1), megabytes(maxRSS * 1024)],
  ];
  await withPrograms(async (start) => {
    const host = await start(startNginx(inFolder('hosted'), inFolder('nginx')));
    const rows = ['pull', 'pull again'].map((name) => {
      const report = run('pull', host.url, '--to', inFolder('served'), '--key', inFolder('key.pub'));
      return row(name, report, report.bytesFetched);
    });
    printTable(
      [`${megabytes(first.bytes)} MB`, 'MB', 'share', 'CPU seconds', 'peak MB'],
      [row('publish', first, first.bytesWritten), row('publish again', again, again.bytesWritten), ...rows],
    );
  });
}

async function measureStart(snapshot, folder) {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  await withPrograms(async (start) => {
    const withKey = async (store) => ({ store, key: await createKey(store) });
    const embedded = await withKey(join(folder, 'keys'));
    const shared = hasRedis && (await withKey((await start(startRedis())).url));
    const runToEnd = (args) => ({ ms: timeCommand([process.execPath, ...args]).seconds * 1000 });
    const programs = {
      [BARE]: () => runToEnd(['-e', '0']),
      'server, embedded keys': () => runServer(snapshot, embedded),
      'server, two workers': () => runServer(snapshot, { ...embedded, workers: 2 }),
      ...(shared && { 'server, Redis': () => runServer(snapshot, shared) }),
      site: () => runSite(snapshot),
      ...Object.fromEntries(COMMANDS.map((args) => [args.join(' '), () => runToEnd([PROGRAM, ...args])])),
    };
    const rounds = await runRounds(Object.keys(programs), 11, (name) => programs[name]());
    const bareMs = medianOf(rounds[BARE], 'ms');
    const rows = Object.entries(rounds).map(([name, figures]) => {
      const ms = medianOf(figures, 'ms');
      const memory = figures[0].ownBytes === undefined ? '' : megabytes(medianOf(figures, 'ownBytes'));
      return [name, count(ms), (ms / bareMs).toFixed(2), memory];
    });
    printTable(['program', 'ms', `of ${BARE}`, 'private MB'], rows);
  });
}

async function runServer(snapshot, options) {
  const server = await startServer({ snapshot, ...options });
  await wait(SETTLE_MS);
  const ownBytes = [server.pid, ...childrenOf(server.pid)].reduce((sum, pid) => sum + memoryOf(pid).ownBytes, 0);
  await server.stop();
  return { ms: server.startSeconds * 1000, ownBytes };
}

async function runSite(snapshot) {
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
