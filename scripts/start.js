/**
 * `npm start`: from a fresh checkout to a server that answers. Compiles the sources, compiles the starter dataset if
 * there is no snapshot yet, makes a demo key once, serves, and prints one line that can be pasted.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
process.chdir(root);

compileSources();
const { readConfig } = await load('src/config.js');
const config = await readConfigOrEnd();
if (process.env.SNAPSHOT === undefined && !existsSync(config.snapshotFile)) await compileStarter(config.snapshotFile);
const key = demoKey(config.keysDirectory);
const { main } = await load('src/main.js');
const running = await main(process.env);
if (running !== undefined) {
  const host = running.host.includes(':') ? `[${running.host}]` : running.host;
  const address = `http://${host}:${running.port}`;
  process.stdout.write(
    `\nPostal Places listens on ${address}\nDemo key: ${key}\n\n` +
      `  curl -H 'x-api-key: ${key}' '${address}/v1/countries/LI/postcodes/9490'\n\n`,
  );
}

function load(module) {
  return import(new URL(`../dist/${module}`, import.meta.url).href);
}

/** A package installed without its development tools comes compiled. */
function compileSources() {
  let compiler;
  try {
    compiler = createRequire(import.meta.url).resolve('typescript/package.json');
  } catch (error) {
    if (existsSync(join(root, 'dist/src/main.js'))) return;
    throw new Error('Nothing is compiled and there is no compiler: run npm ci first.', { cause: error });
  }
  const { bin } = JSON.parse(readFileSync(compiler, 'utf8'));
  execFileSync(process.execPath, [join(dirname(compiler), bin.tsc), '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}

async function readConfigOrEnd() {
  try {
    return readConfig(process.env);
  } catch (error) {
    process.stderr.write(`postal-places: ${error.message}\n`);
    process.exit(1);
  }
}

async function compileStarter(snapshotFile) {
  const folder = join(dirname(snapshotFile), 'starter');
  const { writeStarterRelease } = await load('build-index/starter.js');
  process.stdout.write('No snapshot yet: compiling the starter dataset …\n');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await writeStarterRelease(folder);
  const program = join(root, 'dist/build-index/main.js');
  execFileSync(
    process.execPath,
    [program, 'build', folder, '--out', snapshotFile, '--release-name', 'starter', '--json'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

/** The demo key is kept in a file beside the store, which itself knows no clear key, so that each start shows the same. */
function demoKey(keysDirectory) {
  const file = join(dirname(keysDirectory), 'demo-key');
  if (existsSync(file) && existsSync(keysDirectory)) return readFileSync(file, 'utf8').trim();
  const program = join(root, 'dist/src/keys/cli.js');
  const created = execFileSync(
    process.execPath,
    [program, 'create', '--name', 'demo', '--json', '--keys-dir', keysDirectory],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const { key } = JSON.parse(created);
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
