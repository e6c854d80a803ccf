/**
 * Compiles the starter data that ship with the package: data/starter.snapshot, of countries of data/starter. It is in no
 * repository, since it is large and the same files give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestChange } from './newest-change.js';

/**
 * The countries of data/starter that the package leaves out: without them the snapshot takes 15 MB in the package, with
 * them 24 MB. Each takes 1 to 4 MB, as do US, DE and CH.
 */
const LEFT_OUT = ['AT', 'BG', 'GB', 'LV'];

const OUT = 'data/starter.snapshot';

/** Where the site listens by default: the places' `url` fields point there. */
const SITE_URL = 'http://127.0.0.1:3001';

/** What the snapshot's bytes depend on. */
const SOURCES = [
  ...['build-index', 'src/core', 'src/base', 'scripts/starter-data.js', 'package.json', 'package-lock.json'],
  ...['data/starter', 'data/countries.tsv', 'data/country-names.tsv', 'data/city-short-names.tsv'],
  ...['data/subdivision-codes.tsv', 'data/subdivision-names.tsv', 'data/unit-names.tsv'],
];

/** Whether the snapshot is not there, or older than a source. */
export function isStarterDataDue(root) {
  const out = join(root, OUT);
  return !existsSync(out) || statSync(out).mtimeMs <= newestChange(root, SOURCES);
}

/** Compiles the snapshot if it is due. */
export function buildStarterData(root) {
  if (!isStarterDataDue(root)) return;
  const out = join(root, OUT);
  const release = join(root, 'data/starter');
  const codes = readdirSync(release).flatMap((name) => /^([A-Z]{2})\.zip$/.exec(name)?.slice(1) ?? []);
  const countries = codes.filter((code) => !LEFT_OUT.includes(code)).join();
  const program = join(root, 'dist/cli/main.js');
  const names = ['--release-name', 'starter', '--site-url', SITE_URL, '--countries', countries];
  process.stdout.write('Compiling the starter data …\n');
  execFileSync(process.execPath, [program, 'build', release, '--out', out, ...names, '--json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
