/**
 * Compiles the starter data: data/starter.snapshot, of some countries of data/starter. It is in no repository, since it
 * is large and the same files give the same bytes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestChange } from './newest-change.js';

const OUT = 'data/starter.snapshot';

/** What the snapshot's bytes depend on. */
const SOURCES = [
  ...[
    'build-index',
    'src/core',
    'src/base',
    'src/releases/packaged/packaged-release.ts',
    'scripts/starter-data.js',
    'package.json',
    'package-lock.json',
  ],
  ...[
    'data/starter',
    'data/countries.tsv',
    'data/big-city-names.tsv',
    'data/country-names.tsv',
    'data/city-short-names.tsv',
    'data/city-units.tsv',
  ],
  ...['data/subdivision-codes.tsv', 'data/subdivision-names.tsv', 'data/unit-names.tsv'],
];

/** Whether the snapshot is not there, or older than a source. */
export function isStarterDataDue(root) {
  const out = join(root, OUT);
  return !existsSync(out) || statSync(out).mtimeMs <= newestChange(root, SOURCES);
}

/** Compiles the snapshot if it is due; `signal` ends the builder. */
export async function buildStarterData(root, signal) {
  if (!isStarterDataDue(root)) return;
  const out = join(root, OUT);
  const compiled = join(root, 'dist/src/releases/packaged/packaged-release.js');
  const { STARTER_COUNTRIES, STARTER_RELEASE, PACKAGED_SITE_URL, packagedRelease } = await import(compiled);
  const program = join(root, 'dist/cli/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', PACKAGED_SITE_URL];
  const countries = ['--countries', STARTER_COUNTRIES.join()];
  process.stdout.write('Compiling the starter data …\n');
  await runNode(
    [program, 'build', packagedRelease(), '--out', out, ...names, ...countries, '--json'],
    ['ignore', 'ignore', 'inherit'],
    { signal },
  );
}

/**
 * What `npm start` serves first: the starter data where they have been compiled; in a fresh clone a few countries, which the
 * demo finds again in the user's cache.
 */
export async function provideFirstCountries(root) {
  if (process.env.SNAPSHOT !== undefined) return;
  if (existsSync(join(root, OUT))) return await buildStarterData(root);
  const packaged = join(root, 'dist/src/releases/packaged');
  const { FIRST_COUNTRIES } = await import(join(packaged, 'packaged-release.js'));
  const { withPackagedSnapshot } = await import(join(packaged, 'packaged-snapshot.js'));
  const listener = {
    begin: (what) => process.stdout.write(`Compiling ${what} …\n`),
    warn: (message) => process.stderr.write(`postal-places: ${message}\n`),
  };
  await withPackagedSnapshot({ countries: FIRST_COUNTRIES }, listener, () => {});
}

/** Ends the process where a program fails that `task` runs. */
export async function orEnd(task) {
  try {
    await task();
  } catch (error) {
    if (error.ended === undefined) throw error;
    // A program that ends by itself has said what is wrong.
    if (typeof error.ended === 'string') process.stderr.write(`postal-places: ${error.message}\n`);
    process.exit(1);
  }
}

/** Rejects with an error whose `ended` is the status of a program that fails, or the signal that ended it. */
export async function runNode(args, stdio, options = {}) {
  const [status, signal] = await once(spawn(process.execPath, args, { stdio, ...options }), 'close');
  const ended = status ?? signal;
  if (ended !== 0) throw Object.assign(new Error(`${args[0]} was ended by ${ended}`), { ended });
}
