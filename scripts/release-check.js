/**
 * `npm run release:check [-- TAG]`: all that a release needs, on this machine; it publishes nothing. First what takes a
 * moment: versions, the changelog, the tag and the work tree, whose faults are told all at once. Then the tools that tests
 * need, the generators, .ci/run, the image, and the list of components (SBOM), which goes to var/. `--notes` prints the
 * changelog's entry instead, and checks that alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const textOf = (name) => readFileSync(join(ROOT, name), 'utf8');
const jsonOf = (name) => JSON.parse(textOf(name));
const { name: packageName, version } = jsonOf('package.json');

/** The version as each file has it that names it. */
function versionsElsewhere() {
  const lock = jsonOf('package-lock.json');
  const [, python] = /^version = "(.*)"$/m.exec(textOf('clients/python/pyproject.toml')) ?? [];
  const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const documents = [
    ...['README.md', 'clients/typescript/README.md', 'clients/python/README.md'],
    ...guides.map((name) => `docs/${name}`),
  ];
  // Files of the package and of the clients, such as postal_places_client-1.0.0-py3-none-any.whl.
  const inDocument = /\bpostal[-_]places(?:[-_]client)?-(\d+\.\d+\.\d+)/g;
  return [
    ['package-lock.json', lock.version],
    ['package-lock.json', lock.packages[''].version],
    ['clients/typescript/package.json', jsonOf('clients/typescript/package.json').version],
    ['clients/web/package.json', jsonOf('clients/web/package.json').version],
    ['clients/python/pyproject.toml', python],
    ['docs/openapi.json', jsonOf('docs/openapi.json').info.version],
    ...documents.flatMap((name) => [...textOf(name).matchAll(inDocument)].map(([, found]) => [name, found])),
  ];
}

/** The entries of the changelog, latest first: what stands in the heading's brackets, the date behind it, the text below. */
function changelogEntries() {
  const [, ...entries] = textOf('CHANGELOG.md').split(/^## /m);
  return entries.map((entry) => {
    const [, title, date] = /^\[(.+?)\](?: - (.*))?$/m.exec(entry) ?? [];
    return { title, date, text: entry.slice(entry.indexOf('\n')).trim() };
  });
}

function changelogFaults() {
  const entries = changelogEntries();
  const [unreleased, latest] = entries[0]?.title === 'Unreleased' ? entries : [undefined, entries[0]];
  if (latest?.title !== version) return [`the latest entry of CHANGELOG.md is ${latest?.title}, not ${version}`];
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(latest.date ?? '') && !Number.isNaN(Date.parse(latest.date));
  return [
    ...(unreleased?.text ? [`CHANGELOG.md has lines under Unreleased: move them to ${version}`] : []),
    ...(isDate ? [] : [`the entry of ${version} in CHANGELOG.md has no date such as 2026-01-31`]),
    ...(latest.text === '' ? [`the entry of ${version} in CHANGELOG.md is empty`] : []),
  ];
}

/** What git would commit. */
function uncommitted() {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) return ['git status fails here'];
  return stdout.split('\n').filter((line) => line !== '');
}

function endWith(faults) {
  if (faults.length === 0) return;
  for (const fault of faults) process.stderr.write(`release:check: ${fault}\n`);
  process.exit(1);
}

function run(command, ...args) {
  process.stdout.write(`release:check: ${[command, ...args].join(' ')}\n`);
  // Whatever was installed before comes from npm's cache.
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env });
  if (status !== 0)
    endWith([`${[command, ...args].join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`]);
}

function buildImage() {
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0) {
    run('docker', 'build', '--tag', `${packageName}:${version}`, '.');
  } else {
    process.stdout.write('release:check: Docker is not running here: the image is left out, build it elsewhere\n');
  }
}

/** Writes the list of all dependencies that the package installs on any system, in CycloneDX's JSON. */
function writeComponents() {
  // With --omit=dev, npm also leaves out what the package shares with its tools: the lock file tells them apart.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26 };
  const { status, stdout } = spawnSync('npm', args, options);
  if (status !== 0) endWith([`npm ${args.join(' ')} failed`]);
  const list = JSON.parse(stdout);
  const installed = Object.entries(jsonOf('package-lock.json').packages).filter(([, { dev }]) => !dev);
  const references = new Set(
    installed.map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`),
  );
  const isInstalled = (reference) => references.has(reference);
  list.components = list.components.filter((component) => isInstalled(component['bom-ref']));
  list.dependencies = list.dependencies
    .filter(({ ref }) => isInstalled(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isInstalled) }));
  // npm takes the folder's name.
  list.metadata.component.name = packageName;
  const expected = Object.keys(jsonOf('package.json').dependencies);
  const names = new Set(list.components.map(({ name }) => name));
  endWith(expected.filter((name) => !names.has(name)).map((name) => `${name} is missing among the components`));
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  const path = `var/${packageName}-${version}.cdx.json`;
  writeFileSync(join(ROOT, path), `${JSON.stringify(list, null, 2)}\n`);
  process.stdout.write(`release:check: ${list.components.length} components in ${path}\n`);
}

function checkRelease(tag) {
  const wrong = versionsElsewhere().filter(([, found]) => found !== version);
  endWith([
    ...wrong.map(([file, found]) => `${file} has version ${found}, package.json ${version}`),
    ...changelogFaults(),
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}`]),
    ...uncommitted().map((line) => `not committed: ${line}`),
  ]);
  // The generators need flatc, as the tests do.
  run('sh', 'scripts/ensure-tools.sh');
  run('npm', 'run', 'generate');
  endWith(uncommitted().map((line) => `npm run generate writes another file than is committed: ${line}`));
  // Format, lint, types, all tests, and the package: what is in it, its size, and what it does where it is installed.
  run('.ci/run');
  buildImage();
  writeComponents();
  process.stdout.write(`release:check: ${version} is ready\n`);
}

function printNotes() {
  endWith(changelogFaults());
  process.stdout.write(`${changelogEntries().find(({ title }) => title === version).text}\n`);
}

const [argument] = process.argv.slice(2);
if (argument === '--notes') printNotes();
else checkRelease(argument);
