/**
 * Puts the server's programs, src/main.ts and src/process/worker.ts, with all that they load into one file, and the thread
 * that checks snapshots into another; src/bundle-loader.cts says why. The programs' own files in dist then load the
 * bundle. Nothing is minified: a stack names functions, some with a number behind the name, and lines of the bundle. The
 * modules that a program loads when it needs them are still evaluated only then. Native packages stay in node_modules.
 * The licences of all others are gathered in dist/bundled-licences.txt.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';

const ROOT = dirname(import.meta.dirname);
const SOURCES = join(ROOT, 'src');
const COMPILED = join(ROOT, 'dist/src');

/** They look for their libraries beside their own files. */
const NATIVE = ['koffi', 'lmdb'];

/**
 * Parts of Express that the server never calls, and that make up most of its time to load: parsers of bodies and extended
 * queries, files, tables of media types. In the bundle whatever they export throws when it is called.
 */
const LEFT_OUT = ['body-parser', 'mime-types', 'qs', 'send', 'serve-static'];

const PROGRAMS = `
  export const main = () => void import('./main.js');
  export const workerMain = () => void import('./process/worker.js');
`;

const leaveOut = {
  name: 'leave-out',
  setup({ onResolve, onLoad }) {
    const names = new RegExp(`^(?:${LEFT_OUT.join('|')})$`);
    onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /^/, namespace: 'left-out' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => () => {
        throw new Error(\`${path}.\${String(name)} is left out of the server's bundle: see scripts/bundle.js\`);
      } });`,
    }));
  },
};

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20.15',
  external: NATIVE,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** Writes both bundles and the programs that load the first; the sources must have been compiled. */
export async function bundle() {
  const [server, thread] = await Promise.all([bundleServer(), bundleThread()]);
  // Its process would stay as long as this one, which after a first `npm start` is the server itself.
  await esbuild.stop();
  writeProgram('main', 'main');
  writeProgram('worker-main', 'workerMain');
  const inputs = [server, thread].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(ROOT, 'dist/bundled-licences.txt'), licencesOf(inputs));
}

async function bundleServer() {
  const built = await esbuild.build({
    ...OPTIONS,
    stdin: { contents: PROGRAMS, resolveDir: SOURCES },
    format: 'cjs',
    plugins: [leaveOut],
    define: { 'import.meta.dirname': '__dirname' },
    write: false,
  });
  const text = `(function (require, __dirname) {\n'use strict';\nconst module = {};\n${built.outputFiles[0].text}return module.exports;\n})`;
  writeFileSync(join(COMPILED, 'server.cjs'), text);
  return built;
}

/** A thread is no program of its own, and too small for a cache. */
function bundleThread() {
  return esbuild.build({
    ...OPTIONS,
    entryPoints: [join(SOURCES, 'releases/checking-thread.ts')],
    format: 'esm',
    outfile: join(COMPILED, 'releases/checking-thread.js'),
  });
}

function writeProgram(file, name) {
  const path = join(COMPILED, `${file}.js`);
  const text = `#!/usr/bin/env node
/** src/${file}.ts, in a bundle: see scripts/bundle.js. */
import { createRequire } from 'node:module';

createRequire(import.meta.url)('./bundle-loader.cjs').loadPrograms().${name}();
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** The texts of the licences of all packages that have a file among `inputs`. Throws where one has no licence. */
function licencesOf(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const files = readdirSync(join(ROOT, folder)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
      if (files.length === 0) throw new Error(`${name} ${version} is bundled, and has no text of its licence`);
      const texts = files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8').trim());
      return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n');
}
