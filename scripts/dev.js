/**
 * `npm run dev`: API and site on the starter data, as `npm start` has them, compiled and started again after each change
 * of a source. A file with a syntax error is shown, and the program before it keeps serving; errors of types follow once
 * the program answers. The starter data are compiled again only where the builder's own code or its data have changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build as transpile } from 'esbuild';
import { ASSETS, buildSiteAssets, buildWhereDue, copyAssets } from './build.js';
import { writeBuilderDigest } from './builder-digest.js';
import { orEnd, runNode } from './run-node.js';
import { buildStarterData, isStarterDataDue } from './starter-data.js';
import { bundleWebClient } from './web-client.js';

const ROOT = dirname(import.meta.dirname);
const SNAPSHOT = join(ROOT, 'data/starter.snapshot');

/** Folders whose files the running program is made of, or reads when it starts. */
const WATCHED = ['build-index', 'cli', 'clients', 'data', 'demo', 'docs', 'src'];
const PROGRAM_SOURCE = /^(?:build-index|cli|demo|src(?!\/site\/browser\/))\/.*(?<!\.d)\.ts$/;
const BROWSER_SOURCE = /^src\/site\/browser\/.*(?<!\.d)\.ts$/;

/** Folders that hold no sources: tests compile a client beside its sources. */
const NOT_SOURCES = ['dist', 'node_modules', '__pycache__'];

/** Time from the first event of a change to the look at all files, milliseconds: an editor writes in several steps. */
const SETTLE_MS = 30;

const NOT_RUNNING = 'Nothing is served: the next change starts it again.';

// Compiling takes seconds, and the parent may end meanwhile.
const parentPid = process.ppid;

/** Aborted by the first signal to stop. */
const stopping = new AbortController();

function tell(message) {
  process.stdout.write(`${message}\n`);
}

function seconds(startMs) {
  return `${((performance.now() - startMs) / 1_000).toFixed(1)} s`;
}

function entriesOf(folder) {
  try {
    return readdirSync(join(ROOT, folder), { withFileTypes: true });
  } catch (error) {
    // Gone since its parent was read.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The time of the last change of each watched file, by its path from the root with slashes; and the folders. */
function readTree() {
  const times = new Map();
  const folders = [...WATCHED];
  for (let at = 0; at < folders.length; at++) {
    for (const entry of entriesOf(folders[at])) {
      const name = `${folders[at]}/${entry.name}`;
      if (entry.isDirectory() && !NOT_SOURCES.includes(entry.name)) folders.push(name);
      const time = statSync(join(ROOT, name), { throwIfNoEntry: false })?.mtimeMs;
      if (!entry.isDirectory() && time !== undefined && !name.includes('.snapshot')) times.set(name, time);
    }
  }
  return { times, folders };
}

/**
 * Calls `onChange` soon after each change in the folders that it is given. Each folder is watched by itself: the recursive
 * watch of Node 20 loses a file that an editor replaces.
 */
function createFolderWatch(onChange) {
  const watchers = new Map();
  let isWaiting = false;
  const handle = async () => {
    if (isWaiting) return;
    isWaiting = true;
    await wait(SETTLE_MS);
    isWaiting = false;
    onChange();
  };
  return (folders) => {
    for (const folder of folders) {
      if (watchers.has(folder) || !existsSync(join(ROOT, folder))) continue;
      const watcher = watch(join(ROOT, folder), () => void handle());
      const forget = () => {
        watcher.close();
        watchers.delete(folder);
        void handle();
      };
      watchers.set(folder, watcher.on('error', forget));
    }
    for (const [folder, watcher] of watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
  };
}

/** Compiles changed files, each by itself; false where one can't be read, which esbuild has shown. */
async function compileChanged(changed) {
  const sourcesOf = (kind) => changed.filter((name) => kind.test(name) && existsSync(join(ROOT, name)));
  const hasChanged = (folder) => changed.some((name) => name.startsWith(folder));
  const options = { absWorkingDir: ROOT, format: 'esm', logLevel: 'warning' };
  const ofProgram = { entryPoints: sourcesOf(PROGRAM_SOURCE), outbase: '.', outdir: 'dist', target: 'es2023' };
  const ofPages = {
    entryPoints: sourcesOf(BROWSER_SOURCE),
    outbase: 'src/site/browser',
    outdir: ASSETS,
    target: 'es2022',
  };
  try {
    await transpile({ ...options, ...ofProgram, platform: 'node' });
    await transpile({ ...options, ...ofPages });
    if (hasChanged('clients/web/')) bundleWebClient(ROOT, ASSETS);
    if (hasChanged('src/site/assets/')) copyAssets();
    if (hasChanged('clients/typescript/') || hasChanged('clients/python/')) await buildSiteAssets();
    return true;
  } catch (error) {
    // Ctrl-C ends esbuild too.
    if (stopping.signal.aborted) return false;
    // esbuild and the compiler have shown the errors of a source.
    if (error.errors === undefined && error.ended === undefined) throw error;
    return false;
  }
}

/** The running program: API and site in one process, which ends when this process does. */
class Program {
  #child;
  #announced = '';
  /** Resolves once no restart is on its way. */
  #restarted = Promise.resolve();

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves once API and site answer, with true; with false where the program ends before, having said why. */
  async start() {
    const args = [import.meta.filename, 'serve', ...(process.stdout.isTTY ? ['terminal'] : [])];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // Where npm seems to start it, it ends when its parent does: see demo/npm-end.ts.
      env: { SNAPSHOT, DRAIN_SECONDS: '1', ...process.env, npm_lifecycle_event: 'start' },
    });
    this.#child = child;
    let isReady = false;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (isReady) process.stdout.write(text);
      else output += text;
    });
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    isReady = this.isRunning;
    // On a terminal, these are addresses and key, which stay.
    if (output !== this.#announced) process.stdout.write(output);
    this.#announced = output;
    return isReady;
  }

  async stop() {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  /** As `start`, in place of what runs. */
  async restart() {
    const starting = this.stop().then(() => !stopping.signal.aborted && this.start());
    this.#restarted = starting;
    return await starting;
  }

  /** Looks for the snapshot that has been compiled. */
  async reload() {
    await this.#restarted;
    if (this.isRunning) this.#child.kill('SIGHUP');
    else await this.start();
  }
}

/** Runs `task` again and again while it is asked for, never twice at a time. */
function oneAtATime(task) {
  let running;
  let isWanted = false;
  return () => {
    isWanted = true;
    running ??= (async () => {
      while (isWanted && !stopping.signal.aborted) {
        isWanted = false;
        await task();
      }
      running = undefined;
    })();
    return running;
  };
}

/** Shows errors of types. The first check takes some seconds, each further one reads only what has changed. */
async function checkTypes(signal) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const cache = join(ROOT, 'node_modules/.cache/postal-places/dev.tsbuildinfo');
  const options = ['--noCheck', 'false', '--noEmit', '--incremental', '--tsBuildInfoFile', cache];
  const check = [compiler, '-p', 'tsconfig.build.json', ...options];
  await orStopped(runNode(check, 'inherit', { cwd: ROOT, signal }));
}

/** A program that fails has said why, and one that was stopped need not say it. */
async function orStopped(running) {
  try {
    await running;
    return true;
  } catch (error) {
    if (error.ended === undefined && error.name !== 'AbortError') throw error;
    return false;
  }
}

async function develop() {
  const startedMs = performance.now();
  const first = readTree();
  let { times } = first;
  await orEnd(buildWhereDue);
  const program = new Program();
  /** A check takes both cores for a while, and would make a restart wait. */
  let checking = new AbortController();
  const showTypeErrors = () => {
    checking = new AbortController();
    void checkTypes(AbortSignal.any([checking.signal, stopping.signal]));
  };
  const renewStarterData = oneAtATime(async () => {
    if (!isStarterDataDue(ROOT)) return;
    const compileMs = performance.now();
    tell('The builder or its data have changed.');
    if (!(await orStopped(buildStarterData(ROOT, stopping.signal)))) return;
    await program.reload();
    tell(`The starter data are compiled after ${seconds(compileMs)}, and are loaded`);
  });

  /** Changes that no running program has yet. */
  const pending = new Set();
  const takeChanges = oneAtATime(async () => {
    const changedMs = performance.now();
    const tree = readTree();
    const names = [...new Set([...times.keys(), ...tree.times.keys()])];
    const isChanged = (name) => times.get(name) !== tree.times.get(name);
    const changedNow = names.filter(isChanged);
    times = tree.times;
    watchFolders(tree.folders);
    if (changedNow.length === 0) return;
    for (const name of changedNow) pending.add(name);
    const changed = [...pending];
    checking.abort();
    writeBuilderDigest(ROOT);
    if (!(await compileChanged(changed))) {
      if (!stopping.signal.aborted)
        tell(program.isRunning ? 'The program before this change keeps serving.' : NOT_RUNNING);
      return;
    }
    pending.clear();
    const isServing = await program.restart();
    if (stopping.signal.aborted) return;
    const [one, ...more] = changed;
    const what = more.length === 0 ? one : `${one} and ${more.length} more`;
    tell(isServing ? `Ready after ${seconds(changedMs)}: ${what}` : NOT_RUNNING);
    void renewStarterData();
    showTypeErrors();
  });

  const stop = async () => {
    stopping.abort();
    await program.stop();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop());
  const { npmEnd } = await import('../dist/demo/npm-end.js');
  void npmEnd(parentPid, process.env).then(stop);
  const watchFolders = createFolderWatch(() => void takeChanges());
  watchFolders(first.folders);
  const isServing = await program.start();
  tell(isServing ? `Ready after ${seconds(startedMs)}; changes are compiled and served as you save them` : NOT_RUNNING);
  showTypeErrors();
  // A file may have been saved while all was compiled.
  void takeChanges();
}

/** What the child runs. */
async function serve() {
  const { startDemo } = await import('../dist/demo/main.js');
  // Its output is for people, though it goes through a pipe.
  if (process.argv[3] === 'terminal') process.stdout.isTTY = true;
  await startDemo(process.ppid);
  // A start that fails has set it.
  if (process.exitCode === undefined) process.send('ready');
}

await (process.argv[2] === 'serve' ? serve() : develop());
