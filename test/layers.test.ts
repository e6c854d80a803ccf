/** Which file may import which: the arrows between the rooms, what a process loads, and the packages that one file knows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const texts = new Map(
  ['src', 'build-index', 'cli', 'demo', 'generate', 'clients/typescript/src']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    )
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const),
);

/** What each file names: paths from the package's root, or the names of packages. `without` is left out of its text. */
function readImports(...without: RegExp[]): Map<string, string[]> {
  return new Map(
    [...texts].map(([file, text]) => {
      const code = without.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text);
      const named = code.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\(|\bURL\()\s*'([\w@.][^'\s]*)'/g);
      const targets = Array.from(named, ([, name = '']) =>
        name.startsWith('.')
          ? relative(root, join(root, dirname(file), name))
              .replaceAll('\\', '/')
              .replace(/\.js$/, '.ts')
          : name,
      );
      return [file, targets];
    }),
  );
}

/** All, with the files of threads that a file starts. */
const imports = readImports();
/** What each file loads into its own process or thread: types are gone when it runs, and a thread loads for itself. */
const loads = readImports(/^(?:import|export) type [^;]*;$/gm, /\bURL\([^)]*\)/g);
/** What each file loads at once. */
const atOnce = readImports(/\b(?:import|URL)\(\s*'[^']*'/g);

/** All that is reached from a file, itself only in a circle. */
function reachedFrom(file: string, among: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Set(among.get(file));
  for (const other of reached) for (const target of among.get(other) ?? []) reached.add(target);
  return [...reached].filter((name) => among.has(name));
}

/** Every import by a file whose name begins with `from` of what `isMeant`, unless `isAllowed`. */
function importsOf(
  from: string,
  isMeant: (target: string) => boolean,
  isAllowed = (_file: string): boolean => false,
): string[] {
  return [...imports]
    .filter(([file]) => file.startsWith(from) && !isAllowed(file))
    .flatMap(([file, targets]) => targets.filter(isMeant).map((target) => `${file} → ${target}`));
}

/** What each room may import, besides itself, from the ground up. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/base': [],
  'src/core': ['src/base'],
  'src/keys': ['src/base'],
  'src/server': ['src/base', 'src/core'],
  'src/releases': ['src/base', 'src/core'],
  'src/api': ['src/base', 'src/core', 'src/keys', 'src/server'],
  'src/library': ['src/base', 'src/core', 'src/releases', 'src/api'],
  'src/process': ['src/base', 'src/core', 'src/keys', 'src/server', 'src/releases', 'src/api'],
  'src/site': ['src/base', 'src/core', 'src/keys', 'src/server', 'src/releases', 'src/api', 'src/process'],
  src: ['src/process'],
  'build-index': ['src/base', 'src/core', 'src/releases'],
  demo: ['src/base', 'src/keys', 'src/releases', 'src/api', 'src/process', 'src/site'],
  generate: ['build-index', 'src/base', 'src/core', 'src/releases', 'src/api', 'src/site'],
  cli: [
    ...['src', 'build-index', 'demo', 'src/base', 'src/core', 'src/keys', 'src/releases', 'src/api', 'src/library'],
    'src/site',
  ],
  clients: [],
};

/** The folders of a room from the ground up: a file imports from its own folder and from those on lines above. */
const FOLDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'build-index': [
    ['naming', 'ordering', 'reporting'],
    ['reading', 'writing'],
    ['downloading', 'gazetteer', 'tree'],
    ['data-tables'],
    ['cities'],
    ['cleaning', 'corrections', 'place-facts'],
    ['pool', 'suggesting'],
    ['structures', 'verifying'],
    ['diffing'],
    ['building', 'publishing'],
    ['tasks'],
    ['commands'],
  ],
  cli: [['program'], ['ask', 'enrich', 'export', 'keys', 'pulling', 'serving'], ['mcp']],
  'src/api': [['description'], ['http']],
  'src/core': [['snapshot'], ['lookup'], ['suggest'], ['answers']],
  'src/keys': [['storage'], ['records'], ['key'], ['decision'], ['accounts']],
  'src/process': [['program'], ['admin'], ['serving', 'source'], ['workers']],
  'src/releases': [['checking', 'files'], ['folder'], ['channel'], ['fetching', 'packaged', 'served']],
  'src/site': [['browser', 'html'], ['reading'], ['map'], ['docs'], ['components'], ['http'], ['account', 'pages']],
};

function roomOf(file: string): string {
  const [top, folder, ...rest] = file.split('/');
  return top === 'src' && rest.length > 0 ? `src/${folder}` : (top as string);
}

test('the imports are read, each leads to a file, and every room has its line, and each of its folders', () => {
  expect(imports.size).toBeGreaterThan(200);
  // The build puts a package's file beside the scripts for browsers.
  const isOurs = (path: string): boolean => /^(?:src|build-index|cli|demo)\//.test(path) && !/combobox-nav/.test(path);
  expect(importsOf('', (target) => isOurs(target) && !existsSync(join(root, target)))).toEqual([]);
  expect([...new Set([...imports.keys()].map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
  for (const room of Object.keys(ROOMS).filter((one) => one !== 'src' && one !== 'clients')) {
    const inside = [...imports.keys()].filter((file) => file.startsWith(`${room}/`));
    const folders = inside.map((file) => file.slice(room.length + 1).split('/')).filter(({ length }) => length > 1);
    expect([...new Set(folders.map(([folder]) => folder))].sort()).toEqual((FOLDERS[room] ?? []).flat().sort());
  }
});

test.each(Object.entries(ROOMS))('%s imports from rooms below it alone', (room, below) => {
  const isOutside = (target: string): boolean =>
    /^(?:src|build-index|cli|demo|generate|test)\//.test(target) && ![room, ...below].includes(roomOf(target));
  expect(importsOf('', isOutside, (file) => roomOf(file) !== room)).toEqual([]);
});

test.each(
  Object.entries(FOLDERS).flatMap(([room, lines]) =>
    lines.flatMap((line, index) => line.map((name) => [`${room}/${name}`, room, index] as const)),
  ),
)('%s imports from folders on lines above alone', (folder, room, index) => {
  const outOfReach = (FOLDERS[room] ?? [])
    .slice(index)
    .flat()
    .map((name) => `${room}/${name}`)
    .filter((other) => other !== folder);
  // What lies in no folder stands above all of them.
  const isOutside = (target: string): boolean =>
    dirname(target) === room || outOfReach.some((other) => target.startsWith(`${other}/`));
  expect(importsOf(`${folder}/`, isOutside)).toEqual([]);
});

test('the description of the API knows neither who may ask nor the server', () => {
  const isOfHttp = (target: string): boolean => /^src\/(?:keys|server)\//.test(target);
  expect(importsOf('src/api/description/', isOfHttp)).toEqual([]);
});

test('of core the server takes a hash, and what a key is in the site is known by its accounts alone', () => {
  const isOfCore = (target: string): boolean => target.startsWith('src/core/');
  expect(importsOf('src/server/', isOfCore)).toEqual(['src/server/etag.ts → src/core/snapshot/hash-table.ts']);
  const ofAccounts = (file: string): boolean => /^src\/site\/(?:account\/|main|app|site-settings)/.test(file);
  expect(importsOf('src/site/', (target) => target.startsWith('src/keys/'), ofAccounts)).toEqual([]);
});

test('core is pure: one file of it reads files, nothing knows requests, and the manifest alone knows generated code', () => {
  const isOutside = (target: string): boolean =>
    /^(?:node:(?:fs|net|http|worker_threads)|express|ioredis|lmdb)/.test(target);
  expect(importsOf('src/core/', isOutside, (file) => file === 'src/core/snapshot/snapshot-file.ts')).toEqual([]);
  const knowsExpress = (file: string): boolean => /^src\/(?:api\/http|site)\//.test(file);
  expect(importsOf('src/', (target) => target.startsWith('express'), knowsExpress)).toEqual([]);
  const isManifest = (file: string): boolean => /^src\/core\/snapshot\/(?:manifest\.ts|generated\/)/.test(file);
  expect(importsOf('', (target) => target.startsWith('src/core/snapshot/generated/'), isManifest)).toEqual([]);
});

test.each([
  ['src/library/index.ts', ['src/api', 'src/base', 'src/core', 'src/library', 'src/releases']],
  ['src/releases/checking/check-thread.ts', ['src/base', 'src/core', 'src/releases']],
  ['src/process/source/pull-program.ts', ['src/base', 'src/core', 'src/process', 'src/releases']],
  ['src/keys/records/records-check-process.ts', ['src/base', 'src/keys']],
])('%s loads only what it needs, by room', (program, rooms) => {
  expect([...new Set([program, ...reachedFrom(program, loads)].map(roomOf))].sort()).toEqual(rooms);
});

test('no process that serves places loads accounts', () => {
  const loaded = ['src/main.ts', 'src/process/workers/worker-program.ts'].flatMap((program) =>
    reachedFrom(program, loads),
  );
  expect(loaded.filter((file) => file.startsWith('src/keys/accounts/'))).toEqual([]);
});

test('what runs in browsers imports nothing that does not', () => {
  const isOfBrowsers = (target: string): boolean =>
    target.startsWith('src/site/browser/') || target === '@github/combobox-nav';
  expect(importsOf('src/site/browser/', isOfBrowsers).length).toBeGreaterThan(2);
  expect(importsOf('src/site/browser/', (target) => !isOfBrowsers(target))).toEqual([]);
});

test('no file imports itself by way of others, but for what it imports when it is called', () => {
  expect([...atOnce.keys()].filter((file) => reachedFrom(file, atOnce).includes(file))).toEqual([]);
});

test.each([
  [/while \((?:low|from|left|start) < (?:high|to|right|end)\)[\s\S]{0,200}>>> 1/, 'src/core/snapshot/binary-search.ts'],
  [/0x01000193|16777619/, 'src/core/snapshot/hash-table.ts'],
  [/\b_header\b|onIncoming|httpAllowHalfOpen|Server\.prototype/, 'src/server/node-internals.ts'],
])('one file has a binary search, FNV, or knows the internals of Node: %s', (pattern, file) => {
  expect([...texts].flatMap(([name, text]) => (pattern.test(text) ? [name] : []))).toEqual([file]);
});

test('nothing makes folders by the recursive mkdir of Node, see make-folder.ts', () => {
  expect([...texts].flatMap(([name, text]) => (/mkdir\w*\([^;]*recursive/.test(text) ? [name] : []))).toEqual([]);
});

test.each([
  ['@photostructure/tz-lookup', ['build-index/place-facts/time-zones.ts']],
  ['koffi', ['src/base/libc.ts']],
  ['lmdb', ['src/keys/records/embedded-record-store.ts']],
  ['prom-client', ['src/process/admin/metrics.ts']],
  ['pino', ['src/base/logger.ts']],
  ['sonic-boom', ['src/base/log-output.ts']],
  ['ioredis', ['src/keys/storage/redis-client.ts']],
  ['flatbuffers', ['src/core/snapshot/manifest.ts']],
  ['openid-client', ['src/site/account/provider-client.ts']],
])('%s is imported by these files alone', (name, files) => {
  const importers = [...imports]
    .filter(([file, targets]) => targets.includes(name) && !file.startsWith('src/core/snapshot/generated/'))
    .map(([file]) => file);
  expect(importers).toEqual(files);
});
