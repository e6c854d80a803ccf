/** Which file may import which: the arrows of the design, and the native packages that one file each may know. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createTemporaryFolder } from './fixtures/fixture-snapshot.js';

const root = join(import.meta.dirname, '..');

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();
}

/** What a file imports: paths from the package's root, or the names of packages. */
function importsIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\(|\bURL\()\s*'([^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.')
      ? relative(root, join(root, dirname(file), specifier))
          .replaceAll('\\', '/')
          .replace(/\.js$/, '.ts')
      : specifier,
  );
}

const imports = new Map(['src', 'build-index'].flatMap(filesBelow).map((file) => [file, importsIn(file)]));

/** Every import of a file below `from` of something below one of `into`, unless `isAllowed`. */
function importsOf(from: string, into: readonly string[], isAllowed = (_file: string): boolean => false): string[] {
  return [...imports]
    .filter(([file]) => file.startsWith(from) && !isAllowed(file))
    .flatMap(([file, targets]) =>
      targets
        .filter((target) => into.some((prefix) => target.startsWith(prefix)))
        .map((target) => `${file} → ${target}`),
    );
}

test('the imports are read at all', () => {
  expect(imports.size).toBeGreaterThan(60);
  expect(imports.get('src/store/point-index.ts')).toEqual([
    'geokdbush',
    'kdbush',
    'src/format/point-index.ts',
    'src/store/circle-bounds.ts',
  ]);
  for (const [file, targets] of imports) {
    for (const target of targets.filter((path) => path.startsWith('src/') || path.startsWith('build-index/'))) {
      expect({ file, target, exists: existsSync(join(root, target)) }).toEqual({ file, target, exists: true });
    }
  }
});

describe('format ← store ← service ← http', () => {
  const LAYERS = ['src/format/', 'src/store/', 'src/service/', 'src/http/'];
  const OUTSIDE = ['src/keys/', 'src/config.ts', 'src/main.ts', 'build-index/', 'test/'];
  test.each(LAYERS.map((layer, index) => [layer, LAYERS.slice(index + 1)] as const))('%s', (layer, above) => {
    const outside = layer === 'src/http/' ? OUTSIDE.filter((path) => path !== 'src/keys/') : OUTSIDE;
    expect(importsOf(layer, [...above, ...outside])).toEqual([]);
  });

  test('format knows neither files nor express', () => {
    expect(importsOf('src/format/', ['node:fs', 'node:net', 'node:http', 'express'])).toEqual([]);
  });

  test('only two files read files, and only http knows express', () => {
    const FILES = ['node:fs', 'node:child_process', 'node:http', 'node:net'];
    const readers = ['src/store/open-file.ts', 'src/store/snapshot-reading.ts'];
    expect(importsOf('src/store/', FILES, (file) => readers.includes(file))).toEqual([]);
    expect(importsOf('src/service/', [...FILES, 'node:worker_threads'])).toEqual([]);
    expect(importsOf('src/', ['express'], (file) => file.startsWith('src/http/'))).toEqual([]);
  });
});

test('keys stands beside service and knows nothing of places', () => {
  const PLACES = ['src/format/', 'src/store/', 'src/service/', 'src/http/', 'src/main.ts', 'build-index/'];
  expect(importsOf('src/keys/', [...PLACES, 'src/admin/'])).toEqual([]);
});

test('records knows the place where keys live, and nothing that serves or configures', () => {
  const PLACES = ['src/format/', 'src/store/', 'src/service/', 'src/releases/', 'build-index/'];
  const SERVING = ['src/http/', 'src/serving/', 'src/observing/', 'src/admin/', 'src/config.ts', 'src/main.ts'];
  expect(importsOf('src/records/', [...PLACES, ...SERVING])).toEqual([]);
  const known = new Set(importsOf('src/records/', ['src/keys/']).map((arrow) => arrow.split(' → ')[1]));
  expect([...known].sort()).toEqual([
    'src/keys/embedded/folder-lock.ts',
    'src/keys/embedded/key-folder.ts',
    'src/keys/key-error.ts',
    'src/keys/key-store.ts',
    'src/keys/redis/redis-client.ts',
  ]);
});

test('admin is told what it shows by main, and nothing else knows it', () => {
  expect(importsOf('src/admin/', ['src/'], (file) => !file.startsWith('src/admin/'))).toEqual([]);
  const isMain = (file: string): boolean => file === 'src/main.ts' || file.startsWith('src/admin/');
  expect(importsOf('', ['src/admin/'], isMain)).toEqual([]);
});

test('what follows releases knows neither http nor keys, what observes is told by the server, and main starts it all', () => {
  const SERVING = ['src/http/', 'src/keys/', 'src/observing/', 'src/serving/', 'src/config.ts', 'src/main.ts'];
  expect(importsOf('src/releases/', SERVING)).toEqual([]);
  expect(importsOf('src/observing/', ['src/serving/', 'src/releases/', 'src/main.ts'])).toEqual([]);
  expect(importsOf('src/serving/', ['src/main.ts'])).toEqual([]);
  for (const layer of ['src/format/', 'src/store/', 'src/service/', 'src/http/', 'src/keys/']) {
    expect(importsOf(layer, ['src/releases/', 'src/observing/', 'src/serving/'])).toEqual([]);
  }
});

test('build-index stands on format alone; what checks, shows and compares snapshots may use store and service', () => {
  // Publishing keeps files in use from being pruned in the way that servers do: by opening them with store's open-file.
  const readers = ['commands/inspect-report.ts', 'verifying/', 'diffing/', 'publishing/'].map(
    (path) => `build-index/${path}`,
  );
  const mayRead = (file: string): boolean => readers.some((reader) => file.startsWith(reader));
  expect(importsOf('build-index/', ['src/store/', 'src/service/'], mayRead)).toEqual([]);
  expect(importsOf('build-index/', ['src/http/', 'src/keys/', 'src/main.ts', 'src/config.ts'])).toEqual([]);
});

/**
 * The folders of build-index from the ground up, with what stands beside them. A file imports from its own folder and
 * from those on the lines above, never from another one on its own line or further down.
 */
const BUILDER: readonly (readonly string[])[] = [
  ['reading', 'writing', 'reporting', 'starter'],
  ['pool', 'tree', 'starter.ts'],
  ['structures'],
  ['verifying'],
  ['building', 'publishing', 'diffing', 'downloading'],
  ['tasks'],
  ['commands'],
  ['main.ts'],
];

describe('build-index, from the ground up', () => {
  const inBuilder = (name: string): string => (name.endsWith('.ts') ? `build-index/${name}` : `build-index/${name}/`);

  test('every folder, and every file beside the folders, has its line', () => {
    const found = [...imports.keys()].flatMap((file) => /^build-index\/([^/]+)/.exec(file)?.slice(1) ?? []);
    expect([...new Set(found)].sort()).toEqual(BUILDER.flat().sort());
  });

  test.each(BUILDER.flatMap((line, index) => line.map((name) => [name, index] as const)))('%s', (name, index) => {
    const outOfReach = BUILDER.slice(index)
      .flat()
      .filter((other) => other !== name);
    expect(importsOf(inBuilder(name), outOfReach.map(inBuilder))).toEqual([]);
  });
});

test('nothing imports tests, and src never imports the builder', () => {
  expect(importsOf('', ['test/'])).toEqual([]);
  expect(importsOf('src/', ['build-index/'])).toEqual([]);
});

test('the independent reader of snapshots is independent: it has nothing but bytes, a hash and the table of letters', () => {
  const folder = 'test/format/independent-reader';
  const readers = filesBelow(folder).filter((file) => !file.endsWith('.test.ts') && !file.endsWith('/scene.ts'));
  expect(readers.length).toBeGreaterThan(2);
  const targets = readers.flatMap(importsIn).filter((target) => !readers.includes(target));
  expect([...new Set(targets)].sort()).toEqual(['any-ascii', 'node:crypto']);
});

test.each([
  ['koffi', ['src/libc.ts']],
  // The records of keys are to be put on src/records; then lmdb is imported there alone.
  ['lmdb', ['src/keys/embedded/key-records.ts', 'src/records/embedded/record-tables.ts']],
  ['prom-client', ['src/observing/metrics.ts']],
  ['ioredis', ['src/keys/redis/redis-client.ts']],
  ['flatbuffers', ['src/format/manifest.ts']],
])('%s is imported by these files alone', (name, files) => {
  const importers = [...imports]
    .filter(([file, targets]) => targets.includes(name) && !file.startsWith('src/format/generated/'))
    .map(([file]) => file);
  expect(importers).toEqual(files);
});

test('generated code is imported by the manifest only', () => {
  const isManifest = (file: string): boolean =>
    file === 'src/format/manifest.ts' || file.startsWith('src/format/generated/');
  expect(importsOf('', ['src/format/generated/'], isManifest)).toEqual([]);
});

test('the generated code is what the schema gives', () => {
  const folder = createTemporaryFolder();
  try {
    const out = join(folder.path, 'generated');
    try {
      execFileSync('sh', [join(root, 'scripts/generate-manifest.sh'), out], { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      // Without flatc the script says how to install it: this must fail, or a changed schema would go unnoticed.
      throw new Error(`scripts/generate-manifest.sh: ${(error as { stderr?: string }).stderr}`, { cause: error });
    }
    const contents = (base: string): [string, string][] =>
      readdirSync(base, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .sort()
        .map((name) => [name, readFileSync(join(base, name), 'utf8')]);
    const committed = contents(join(root, 'src/format/generated'));
    expect(committed.length).toBeGreaterThan(4);
    expect(contents(out)).toEqual(committed);
  } finally {
    folder.remove();
  }
});
