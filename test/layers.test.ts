/** Which file may import which: the arrows between the rooms, what a process loads, and the packages that one file knows. */
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

/**
 * What each file imports, and the files of threads that it starts: paths from the package's root, or the names of
 * packages.
 */
const imports = new Map(
  ['src', 'build-index', 'cli', 'demo', 'generate', 'clients/typescript/src']
    .flatMap(filesBelow)
    .map((file) => [file, importsIn(file)]),
);

/** Paths from the package's root, or the names of packages. */
function importsIn(file: string): string[] {
  return specifiersOf(file, readFileSync(join(root, file), 'utf8'));
}

function specifiersOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\(|\bURL\()\s*'([\w@.][^'\s]*)'/g)].map(
    ([, specifier]) =>
      specifier?.startsWith('.')
        ? relative(root, join(root, dirname(file), specifier))
            .replaceAll('\\', '/')
            .replace(/\.js$/, '.ts')
        : (specifier as string),
  );
}

/** What each file loads into its own process or thread: types are gone when it runs, and a thread loads for itself. */
const loads = new Map(
  [...imports.keys()].map((file): [string, string[]] => {
    const text = readFileSync(join(root, file), 'utf8');
    const code = text.replaceAll(/^(?:import|export) type [^;]*;$/gm, '').replaceAll(/\bURL\([^)]*\)/g, '');
    return [file, specifiersOf(file, code)];
  }),
);

/** All files of ours that a program loads. */
function filesLoadedBy(program: string): string[] {
  const loaded = new Set([program]);
  for (const file of loaded) for (const target of loads.get(file) ?? []) if (loads.has(target)) loaded.add(target);
  return [...loaded];
}

/** Every import of a file below `from` of something below one of `into`, unless `isAllowed`. */
function importsOf(
  from: string,
  into: readonly string[],
  isAllowed = (_file: string): boolean => false,
  among = imports,
): string[] {
  return [...among]
    .filter(([file]) => file.startsWith(from) && !isAllowed(file))
    .flatMap(([file, targets]) =>
      targets
        .filter((target) => into.some((prefix) => target.startsWith(prefix)))
        .map((target) => `${file} → ${target}`),
    );
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
  generate: ['src/base', 'src/core', 'src/releases', 'src/api', 'src/site'],
  cli: [
    'src',
    'build-index',
    'demo',
    'src/base',
    'src/core',
    'src/keys',
    'src/releases',
    'src/api',
    'src/library',
    'src/site',
  ],
  clients: [],
};

/** The folders of build-index from the ground up: a file imports from its own folder and from those on lines above. */
const BUILDER: readonly (readonly string[])[] = [
  ['naming', 'reading', 'reporting'],
  ['corrections', 'downloading', 'tree'],
  ['cleaning', 'gazetteer', 'pool'],
  ['structures', 'verifying'],
  ['diffing'],
  ['building', 'publishing'],
  ['tasks'],
  ['commands'],
];

function roomOf(file: string): string {
  const [top, folder, ...rest] = file.split('/');
  return top === 'src' && rest.length > 0 ? `src/${folder}` : (top as string);
}

test('the imports are read, and each leads to a file', () => {
  expect(imports.size).toBeGreaterThan(200);
  for (const [file, targets] of imports) {
    // The build puts a package's file beside the scripts for browsers.
    const ours = targets.filter(
      (path) => /^(?:src|build-index|cli|demo)\//.test(path) && !path.endsWith('/combobox-nav.ts'),
    );
    for (const target of ours)
      expect({ file, target, exists: existsSync(join(root, target)) }).toEqual({ file, target, exists: true });
  }
});

test('every room has its line', () => {
  expect([...new Set([...imports.keys()].map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
});

test.each(Object.entries(ROOMS))('%s imports from rooms below it alone', (room, below) => {
  const arrows = [...imports]
    .filter(([file]) => roomOf(file) === room)
    .flatMap(([file, targets]) =>
      targets
        .filter(
          (target) =>
            /^(?:src|build-index|cli|demo|generate|test)\//.test(target) && ![room, ...below].includes(roomOf(target)),
        )
        .map((target) => `${file} → ${target}`),
    );
  expect(arrows).toEqual([]);
});

test('of core the server takes a hash, and what a key is in the site is known by its accounts alone', () => {
  expect(importsOf('src/server/', ['src/core/'])).toEqual(['src/server/etag.ts → src/core/snapshot/hash-table.ts']);
  const ofAccounts = (file: string): boolean =>
    /^src\/site\/(?:account\/|main|app|site-settings|request-context|address-limit)/.test(file);
  expect(importsOf('src/site/', ['src/keys/'], ofAccounts)).toEqual([]);
});

test('core is pure: one file of it reads files, and nothing knows requests', () => {
  const OUTSIDE = ['node:fs', 'node:net', 'node:http', 'node:worker_threads', 'express', 'ioredis', 'lmdb'];
  expect(importsOf('src/core/', OUTSIDE, (file) => file === 'src/core/snapshot/snapshot-file.ts')).toEqual([]);
  const knowsExpress = (file: string): boolean => file.startsWith('src/api/http/') || file.startsWith('src/site/');
  expect(importsOf('src/', ['express'], knowsExpress)).toEqual([]);
});

describe('build-index, from the ground up', () => {
  test('every folder has its line', () => {
    const found = [...imports.keys()].flatMap((file) => /^build-index\/([^/]+)/.exec(file)?.slice(1) ?? []);
    expect([...new Set(found)].sort()).toEqual(BUILDER.flat().sort());
  });

  test.each(BUILDER.flatMap((line, index) => line.map((name) => [name, index] as const)))('%s', (name, index) => {
    const outOfReach = BUILDER.slice(index)
      .flat()
      .filter((other) => other !== name);
    expect(
      importsOf(
        `build-index/${name}/`,
        outOfReach.map((other) => `build-index/${other}/`),
      ),
    ).toEqual([]);
  });
});

/** What a program, a thread or the package loads, by room. */
test.each([
  ['src/library/index.ts', ['src/api', 'src/base', 'src/core', 'src/library', 'src/releases', 'src/server']],
  ['src/releases/check-thread.ts', ['src/base', 'src/core', 'src/releases']],
  ['src/process/pull-process.ts', ['src/base', 'src/core', 'src/process', 'src/releases']],
])('%s loads only what it needs', (program, rooms) => {
  expect([...new Set(filesLoadedBy(program).map(roomOf))].sort()).toEqual(rooms);
});

test('no process that serves places loads accounts', () => {
  for (const program of ['src/main.ts', 'src/process/worker.ts']) {
    expect(filesLoadedBy(program).filter((file) => file.startsWith('src/keys/accounts/'))).toEqual([]);
  }
});

test('what runs in browsers imports nothing that does not', () => {
  const targets = importsOf('src/site/browser/', ['']).map((arrow) => arrow.split(' → ')[1] as string);
  const isOfBrowsers = (target: string): boolean =>
    target.startsWith('src/site/browser/') || target === '@github/combobox-nav';
  expect(targets.length).toBeGreaterThan(2);
  expect(targets.filter((target) => !isOfBrowsers(target))).toEqual([]);
});

test('no file imports itself by way of others, but for what it imports when it is called', () => {
  const atOnce = new Map(
    [...imports.keys()].map((file) => {
      const text = readFileSync(join(root, file), 'utf8').replaceAll(/\b(?:import|URL)\(\s*'[^']*'/g, '');
      return [file, specifiersOf(file, text)] as const;
    }),
  );
  const circles = [...atOnce.keys()].filter((file) => {
    const reached = new Set(atOnce.get(file));
    for (const other of reached) for (const target of atOnce.get(other) ?? []) reached.add(target);
    return reached.has(file);
  });
  expect(circles).toEqual([]);
});

test('there is one binary search, one FNV, and one file that knows the internals of Node', () => {
  const filesWith = (pattern: RegExp): string[] =>
    [...imports.keys()].filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  expect(filesWith(/while \((?:low|from|left|start) < (?:high|to|right|end)\)[\s\S]{0,200}>>> 1/)).toEqual([
    'src/core/snapshot/binary-search.ts',
  ]);
  expect(filesWith(/0x01000193|16777619/)).toEqual(['src/core/snapshot/hash-table.ts']);
  expect(filesWith(/\b_header\b|onIncoming|httpAllowHalfOpen|Server\.prototype/)).toEqual([
    'src/server/node-internals.ts',
  ]);
});

test.each([
  ['@photostructure/tz-lookup', ['build-index/structures/build-place-facts.ts']],
  ['koffi', ['src/base/own-file.ts']],
  ['lmdb', ['src/keys/records/embedded-record-store.ts']],
  ['prom-client', ['src/process/metrics.ts']],
  ['pino', ['src/base/logger.ts']],
  ['ioredis', ['src/keys/storage/redis-client.ts']],
  ['flatbuffers', ['src/core/snapshot/manifest.ts']],
  ['openid-client', ['src/site/account/provider.ts']],
])('%s is imported by these files alone', (name, files) => {
  const importers = [...imports]
    .filter(([file, targets]) => targets.includes(name) && !file.startsWith('src/core/snapshot/generated/'))
    .map(([file]) => file);
  expect(importers).toEqual(files);
});

test('generated code is imported by the manifest only', () => {
  const isManifest = (file: string): boolean =>
    file === 'src/core/snapshot/manifest.ts' || file.startsWith('src/core/snapshot/generated/');
  expect(importsOf('', ['src/core/snapshot/generated/'], isManifest)).toEqual([]);
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
    const committed = contents(join(root, 'src/core/snapshot/generated'));
    expect(committed.length).toBe(1);
    expect(contents(out)).toEqual(committed);
  } finally {
    folder.remove();
  }
});
