/**
 * `npm start`: from a fresh checkout to a server that answers. Compiles the sources where they have changed, compiles
 * the starter dataset if there is no snapshot yet, makes a demo key once, serves, and prints one line that can be pasted.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const STARTER_RELEASE = 'starter';
/** The server logs the same troubles again. */
const silentLogger = { info() {}, warn() {}, error() {} };
const root = dirname(import.meta.dirname);
process.chdir(root);

compileSources();
const { readConfig } = await load('src/config.js');
const config = await readConfigOrEnd();
if (process.env.SNAPSHOT === undefined && !existsSync(config.snapshotSource))
  await compileStarter(config.snapshotSource);
const key = await demoKeyOrEnd(config.keysDirectory);
const { main } = await load('src/main.js');
const running = await main(process.env);
if (running !== undefined) {
  const host = running.host.includes(':') ? `[${running.host}]` : running.host;
  const address = `http://${host}:${running.port}`;
  const question = running.release === STARTER_RELEASE ? 'countries/LI/postcodes/9490' : 'countries?hasPostcodes=true';
  process.stdout.write(
    `\nPostal Places listens on ${address}\nDemo key: ${key}\n\n` +
      `  curl -H 'x-api-key: ${key}' '${address}/v1/${question}'\n\n`,
  );
}

function load(module) {
  return import(new URL(`../dist/${module}`, import.meta.url).href);
}

/** A package installed without its development tools comes compiled. */
function compileSources() {
  const program = join(root, 'dist/src/main.js');
  const newest = Math.max(newestChange('src'), newestChange('build-index'));
  if (existsSync(program) && statSync(program).mtimeMs >= newest) return;
  let compiler;
  try {
    compiler = createRequire(import.meta.url).resolve('typescript/package.json');
  } catch {
    process.stderr.write('postal-places: nothing is compiled and there is no compiler; run npm ci first\n');
    process.exit(1);
  }
  const { bin } = JSON.parse(readFileSync(compiler, 'utf8'));
  execFileSync(process.execPath, [join(dirname(compiler), bin.tsc), '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}

function newestChange(folder) {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

async function readConfigOrEnd() {
  try {
    return readConfig(process.env);
  } catch (error) {
    process.stderr.write(`postal-places: ${error.message}\n`);
    process.exit(1);
  }
}

async function demoKeyOrEnd(keysDirectory) {
  try {
    return await demoKey(keysDirectory);
  } catch (error) {
    process.stderr.write(`postal-places: ${config.redis === null ? 'KEYS_DIR' : 'REDIS_URL'}: ${error.message}\n`);
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
  const args = [program, 'build', folder, '--out', snapshotFile, '--release-name', STARTER_RELEASE, '--json'];
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The store knows no clear keys, so the demo key is kept in a file of the private folder: each start shows it. */
async function demoKey(keysDirectory) {
  const { createApiKey, digestApiKey } = await load('src/keys/api-key.js');
  const { findFault } = await load('src/keys/admission.js');
  const { createKeyRecord } = await load('src/keys/key-record.js');
  const { openKeyStore } = await load('src/keys/open-key-store.js');
  // Each store has a demo key of its own.
  const file = join(keysDirectory, config.redis === null ? 'demo-key' : 'demo-key-redis');
  const store = await openKeyStore(config, silentLogger);
  try {
    const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    const digest = digestApiKey(known);
    const entries = await store.list();
    const record = entries.find((entry) => entry.digest === digest)?.record;
    if (record !== undefined && findFault(record, Date.now()) === undefined) return known;
    const key = createApiKey();
    const made = createKeyRecord('demo', new Date());
    await store.create({ digest: digestApiKey(key), record: made, sealed: null, usage: new Map() });
    mkdirSync(keysDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  } finally {
    await store.close();
  }
}
