/**
 * `npm run build`: compiles the sources, whose types `npm run check` checks, declares the types of the library, fills
 * dist/src/site/assets with what the site hands out (its stylesheet, icon and scripts, the script of a package that its
 * pages load, the clients, and the elements for web pages), and compiles the starter data.
 */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { writeBuilderDigest } from './builder-digest.js';
import { packClients } from './client-packages.js';
import { COMPILED, isProgramCompiled } from './compiled-program.js';
import { orEnd, runNode } from './run-node.js';
import { buildStarterData } from './starter-data.js';
import { bundleWebClient } from './web-client.js';

const ROOT = dirname(import.meta.dirname);
export const ASSETS = join(ROOT, 'dist/src/site/assets');
/** Where in dist tsconfig.library.json puts the types of all files that the library loads. */
const TYPES = 'types';
/** Where the TypeScript client is compiled to be packed. */
const COMPILED_CLIENT = join(ROOT, 'dist/client');
const LIBRARY_TYPES = 'src/library/index.d.ts';

/**
 * `provideData` runs beside the last steps. Throws where the compiler is not installed, or can't read a source, or where the
 * builder finds an error.
 */
export async function build(provideData = buildStarterData) {
  const startedAt = new Date();
  rmSync(join(ROOT, COMPILED), { force: true });
  writeBuilderDigest(ROOT);
  await compile('tsconfig.build.json');
  // The data take longest, and need no more than the compiled sources.
  await Promise.all([provideData(ROOT), completeProgram(startedAt)]);
}

/** The program and the starter data, each where a source of it has changed. */
export async function buildWhereDue() {
  await (isProgramCompiled(ROOT) ? buildStarterData(ROOT) : build());
}

/** Adds the types of the library and the site's assets. */
async function completeProgram(startedAt) {
  await compile('tsconfig.library.json');
  copyLibraryTypes(join(ROOT, 'dist'));
  await buildSiteAssets();
  writeFileSync(join(ROOT, COMPILED), '');
  // A source that has changed meanwhile is newer.
  utimesSync(join(ROOT, COMPILED), startedAt, startedAt);
}

async function compile(...args) {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  await runNode([compiler, '-p', ...args], 'inherit', { cwd: ROOT });
}

/** Fills the folder of the files that the site hands out. */
export async function buildSiteAssets() {
  rmSync(ASSETS, { recursive: true, force: true });
  mkdirSync(ASSETS, { recursive: true });
  await compile('src/site/browser');
  await compile('clients/typescript', '--outDir', COMPILED_CLIENT);
  packClients(ROOT, COMPILED_CLIENT, ASSETS);
  rmSync(COMPILED_CLIENT, { recursive: true });
  bundleWebClient(ROOT, ASSETS);
  copyAssets();
  copyFileSync(join(ROOT, 'node_modules/@github/combobox-nav/dist/index.js'), join(ASSETS, 'combobox-nav.js'));
}

/** The stylesheet and the icon. */
export function copyAssets() {
  const own = join(ROOT, 'src/site/assets');
  for (const name of readdirSync(own)) copyFileSync(join(own, name), join(ASSETS, name));
}

/**
 * Puts the declarations that users of the library see beside its files: the compiler writes those of every file. Those of
 * an earlier build go, since a file of the library may be gone by now.
 */
export function copyLibraryTypes(dist) {
  const allTypes = join(dist, TYPES);
  for (const name of readdirSync(dist, { recursive: true })) {
    if (name.endsWith('.d.ts') && !name.startsWith(TYPES)) rmSync(join(dist, name));
  }
  const names = new Set([LIBRARY_TYPES]);
  for (const name of names) {
    const text = readFileSync(join(allTypes, name), 'utf8');
    copyFileSync(join(allTypes, name), join(dist, name));
    for (const [, target] of text.matchAll(/from '(\.[^']*)\.js'/g)) names.add(`${join(dirname(name), target)}.d.ts`);
  }
  rmSync(allTypes, { recursive: true });
}

if (process.argv[1] === import.meta.filename) await orEnd(build);
