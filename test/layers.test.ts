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

/**
 * What each file imports, and the files of threads that it starts: paths from the package's root, or the names of
 * packages.
 */
const imports = new Map(
  ['src', 'build-index', 'cli', 'quick-start', 'generate', 'clients/typescript/src']
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

/** What of it each file loads before it does anything: the rest is imported where it is needed. */
const loadsAtOnce = new Map(
  [...imports.keys()].map((file): [string, string[]] => {
    const later = [...readFileSync(join(root, file), 'utf8').matchAll(/\bimport\(\s*'([^']+)'/g)];
    const targets = new Set(specifiersOf(file, later.map(([call]) => call).join('\n')));
    return [file, (loads.get(file) ?? []).filter((target) => !targets.has(target))];
  }),
);

/** The files and packages that are loaded with a file, before it does anything. */
function loadsAtOnceWith(program: string): string[] {
  const loaded = new Set([program]);
  for (const file of loaded) for (const target of loadsAtOnce.get(file) ?? []) loaded.add(target);
  return [...loaded];
}

function packagesWith(program: string): string[] {
  return loadsAtOnceWith(program)
    .filter((target) => !loads.has(target) && !target.startsWith('node:'))
    .sort();
}

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

test('the imports are read at all', () => {
  expect(imports.size).toBeGreaterThan(60);
  expect(imports.get('src/store/point-index.ts')).toEqual([
    'geokdbush',
    'src/format/point-index.ts',
    'src/store/circle-bounds.ts',
    'src/store/mapped-numbers.ts',
  ]);
  for (const [file, targets] of imports) {
    // The build puts a package's file beside the scripts for browsers.
    const ours = targets.filter(
      (path) => /^(?:src|build-index|cli)\//.test(path) && !path.endsWith('/combobox-nav.ts'),
    );
    for (const target of ours) {
      expect({ file, target, exists: existsSync(join(root, target)) }).toEqual({ file, target, exists: true });
    }
  }
});

describe('format ← store ← service ← api ← http', () => {
  const LAYERS = ['src/format/', 'src/store/', 'src/service/', 'src/api/', 'src/http/'];
  const OUTSIDE = ['src/keys/', 'src/settings.ts', 'build-index/', 'test/'];
  test.each(LAYERS.map((layer, index) => [layer, LAYERS.slice(index + 1)] as const))('%s', (layer, above) => {
    const outside = layer === 'src/http/' ? OUTSIDE.filter((path) => path !== 'src/keys/') : OUTSIDE;
    // The description of the API has the limits of the free plan.
    const describesPlans = (file: string): boolean => file === 'src/api/service-info.ts';
    expect(importsOf(layer, [...above, ...outside], describesPlans)).toEqual([]);
  });

  test('api, which the site reads too, knows neither requests nor snapshots', () => {
    expect(importsOf('src/api/', ['node:', 'express', 'src/store/', 'src/http/'])).toEqual([]);
    expect(importsOf('src/api/', ['src/keys/'])).toEqual(['src/api/service-info.ts → src/keys/plan.ts']);
  });

  test('format knows neither files nor express', () => {
    expect(importsOf('src/format/', ['node:fs', 'node:net', 'node:http', 'express'])).toEqual([]);
  });

  test('only two files read files, and only http and the site know express', () => {
    const FILES = ['node:fs', 'node:child_process', 'node:http', 'node:net'];
    const readers = ['src/store/open-file.ts', 'src/store/snapshot-reading.ts'];
    expect(importsOf('src/store/', FILES, (file) => readers.includes(file))).toEqual([]);
    expect(importsOf('src/service/', [...FILES, 'node:worker_threads'])).toEqual([]);
    const knowsExpress = (file: string): boolean => file.startsWith('src/http/') || file.startsWith('src/site/');
    expect(importsOf('src/', ['express'], knowsExpress)).toEqual([]);
  });
});

describe('storage ← records ← keys ← accounts, beside what knows places', () => {
  const PLACES = ['src/format/', 'src/store/', 'src/service/', 'src/snapshots/', 'build-index/'];
  const SERVING = ['src/http/', 'src/process/', 'src/admin/', 'src/config.ts', 'src/main.ts'];
  const LAYERS = ['src/storage/', 'src/records/', 'src/keys/', 'src/accounts/'];
  test.each(LAYERS.map((layer, index) => [layer, LAYERS.slice(index + 1)] as const))('%s', (layer, above) => {
    expect(importsOf(layer, [...above, ...PLACES, ...SERVING, 'src/site/'])).toEqual([]);
  });

  test('the commands of keys stand on these', () => {
    expect(importsOf('cli/keys/', [...PLACES, ...SERVING, 'src/site/'])).toEqual([]);
  });

  test.each(['src/main.ts', 'src/process/worker.ts', 'src/snapshots/check-thread.ts'])(
    '%s, of the API, loads nothing of accounts',
    (program) => {
      const files = filesLoadedBy(program);
      expect(files.length).toBeGreaterThan(3);
      expect(files.filter((file) => /^src\/(?:accounts|site)\//.test(file))).toEqual([]);
    },
  );

  test.each(['src/http/', 'src/process/', 'src/snapshots/', 'src/admin/'])('%s knows no accounts', (folder) => {
    expect(importsOf(folder, ['src/accounts/'])).toEqual([]);
    const files = [...loads.keys()].filter((file) => file.startsWith(folder)).flatMap(filesLoadedBy);
    expect(files.filter((file) => file.startsWith('src/accounts/'))).toEqual([]);
  });
});

describe('what runs in which process', () => {
  const below = (folders: readonly string[]) => (file: string) => folders.some((folder) => file.startsWith(folder));
  const SUPERVISOR = [
    ...['supervisor', 'swap', 'worker-process', 'start-server', 'follow-source', 'open-source', 'open-channel'].map(
      (name) => `src/process/${name}.ts`,
    ),
    ...['admin-server', 'metrics-page'].map((name) => `src/admin/${name}.ts`),
    ...['snapshot-follower', 'integrity-check', 'check-file'].map((name) => `src/snapshots/${name}.ts`),
    'src/main.ts',
  ];

  test('a worker loads nothing of the supervisor', () => {
    const files = filesLoadedBy('src/process/worker.ts');
    expect(files).toContain('src/api/routes.ts');
    expect(files).toContain('src/admin/process-metrics.ts');
    for (const file of SUPERVISOR) expect({ file, isThere: imports.has(file) }).toEqual({ file, isThere: true });
    expect(files.filter(below(SUPERVISOR))).toEqual([]);
  });

  test('the file check loads what reads a file, and nothing that serves', () => {
    const files = filesLoadedBy('src/snapshots/check-thread.ts');
    expect(files).toContain('src/store/section-checksums.ts');
    const MORE = ['src/service/', 'src/http/', 'src/keys/', 'src/process/', 'src/admin/', 'src/config.ts'];
    expect(files.filter(below(MORE))).toEqual([]);
  });

  test('each loads the packages that it needs when it needs them', () => {
    expect(packagesWith('src/main.ts')).toEqual(['koffi', 'pino']);
    expect(packagesWith('src/process/supervisor.ts')).toEqual([]);
    const serving = packagesWith('src/process/serve-api.ts');
    expect(serving).toContain('express');
    const LATER = ['lmdb', 'ioredis', 'prom-client', 'pino-pretty'];
    expect(serving.filter((name) => LATER.includes(name))).toEqual([]);
    expect(packagesWith('src/keys/embedded/embedded-key-store.ts')).toEqual(['koffi', 'lmdb']);
    expect(packagesWith('src/keys/redis/redis-key-store.ts')).toEqual(['ioredis']);
  });

  test('the library loads what looks up places, and nothing of a server', () => {
    const SERVING = ['http', 'process', 'admin', 'keys', 'records', 'storage', 'accounts', 'site'];
    const MORE = [...SERVING.map((name) => `src/${name}/`), 'src/config.ts', 'build-index/', 'quick-start/'];
    const ofLibrary = filesLoadedBy('src/library/index.ts');
    expect(ofLibrary).toEqual(expect.arrayContaining(['src/api/routes.ts', 'src/service/suggest/suggest.ts']));
    expect(ofLibrary.filter(below(MORE))).toEqual([]);
    const PACKAGES = ['any-ascii', 'flatbuffers', 'geokdbush', 'koffi'];
    expect(packagesWith('src/library/index.ts')).toEqual(PACKAGES);
    // Only a watch checks the files that come later.
    expect(loadsAtOnceWith('src/library/index.ts')).not.toContain('src/snapshots/snapshot-follower.ts');
    const builtIns = ofLibrary.flatMap((file) => loads.get(file) ?? []).filter((target) => target.startsWith('node:'));
    expect(builtIns.filter((name) => /^node:(?:https?|http2|net|tls|dgram|dns)$/.test(name))).toEqual([]);
  });

  test('a pull loads what reads and writes snapshots, and nothing that serves', () => {
    const files = filesLoadedBy('src/process/pull-process.ts');
    expect(files).toEqual(expect.arrayContaining(['src/channels/pull.ts', 'src/publishing/put-in-service.ts']));
    const OWN = ['src/process/pull-process.ts'];
    const SERVING = ['service', 'http', 'keys', 'process', 'admin', 'site'].map((name) => `src/${name}/`);
    expect(files.filter((file) => below([...SERVING, 'src/config.ts'])(file) && !OWN.includes(file))).toEqual([]);
    expect(packagesWith('src/process/pull-process.ts').filter((name) => name === 'express')).toEqual([]);
  });

  test('what pulls is loaded by that process alone', () => {
    const loaders = (target: string): string[] =>
      [...loads].filter(([, targets]) => targets.includes(target)).map(([file]) => file);
    expect(loaders('src/channels/pull.ts').filter((file) => file.startsWith('src/'))).toEqual([
      'src/process/pull-process.ts',
    ]);
    // A server that follows no channel does not load what follows one.
    expect(loaders('src/process/open-channel.ts')).toEqual(['src/process/open-source.ts']);
    expect(loadsAtOnceWith('src/main.ts')).not.toContain('src/process/open-channel.ts');
    expect(filesLoadedBy('src/main.ts')).not.toContain('src/channels/channel-source.ts');
  });

  test('the supervisor serves by itself through one file', () => {
    const loaders = [...loads].filter(([, targets]) => targets.includes('src/process/serve-api.ts'));
    expect(loaders.map(([file]) => file).sort()).toEqual(['src/process/single-process.ts', 'src/process/worker.ts']);
  });
});

test('snapshots and admin ← process, and each is told the rest by what starts it', () => {
  expect(importsOf('src/snapshots/', ['src/http/', 'src/keys/', 'src/admin/', 'src/process/'])).toEqual([]);
  expect(importsOf('src/admin/', ['src/snapshots/', 'src/process/'])).toEqual([]);
  const LATER = ['src/snapshots/', 'src/admin/', 'src/process/'];
  for (const layer of ['src/format/', 'src/store/', 'src/service/', 'src/server/', 'src/http/', 'src/keys/']) {
    expect(importsOf(layer, LATER)).toEqual([]);
  }
  expect(importsOf('src/platform/', ['src/'], undefined).filter((arrow) => !arrow.includes('→ src/platform/'))).toEqual(
    [],
  );
});

/** From the ground up: a folder imports from those before it, and of `src` nothing else but what stands on the ground. */
const PULLING: readonly (readonly [folder: string, ground: readonly string[]])[] = [
  ['src/transfer/', ['src/expected-error.ts']],
  ['src/publishing/', ['src/expected-error.ts', 'src/platform/', 'src/snapshots/']],
  [
    'src/channels/',
    ['src/expected-error.ts', 'src/logger.ts', 'src/format/', 'src/platform/', 'src/snapshots/', 'src/store/'],
  ],
];

describe('transfer, publishing ← channels ← process', () => {
  test.each(PULLING.map(([folder, ground], index) => [folder, ground, index] as const))(
    '%s',
    (folder, ground, index) => {
      const below = [
        folder,
        ...ground,
        ...(folder === 'src/channels/' ? PULLING.slice(0, index).map(([name]) => name) : []),
      ];
      const targets = importsOf(folder, ['src/', 'build-index/', 'cli/']).filter(
        (arrow) => !below.some((path) => arrow.includes(` → ${path}`)),
      );
      expect(targets).toEqual([]);
    },
  );

  test('of what serves, only processes know channels, and the admin server what is said of one', () => {
    const isBelow = (file: string): boolean => PULLING.some(([folder]) => file.startsWith(folder));
    const known = importsOf(
      'src/',
      PULLING.map(([folder]) => folder),
      isBelow,
    );
    const outside = known.filter((arrow) => !arrow.startsWith('src/process/'));
    expect(outside).toEqual([
      'src/admin/metrics-page.ts → src/channels/follow-channel.ts',
      'src/admin/server-state.ts → src/channels/follow-channel.ts',
    ]);
    expect(known.filter((arrow) => /→ src\/(?:publishing|transfer)\//.test(arrow))).toEqual([]);
  });
});

test('no file imports itself by way of others', () => {
  const done = new Set<string>();
  const findCycle = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of imports.get(file) ?? []) {
      const cycle = imports.has(target) ? findCycle(target, [...path, file]) : undefined;
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) expect(findCycle(file, [])).toBeUndefined();
});

test('few files stand beside the folders', () => {
  expect(readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts')).length).toBeLessThanOrEqual(8);
});

test('the guarded server, which the API and the site share, stands on node and a hash', () => {
  expect(importsOf('src/server/', ['src/', 'express']).filter((arrow) => !arrow.includes('→ src/server/'))).toEqual([
    'src/server/etag.ts → src/format/hash.ts',
  ]);
  const starters = [...imports].filter(([, targets]) => targets.some((target) => target === 'node:http'));
  const creators = starters
    .map(([file]) => file)
    .filter((file) => /\bcreateServer\(/.test(readFileSync(join(root, file), 'utf8')));
  expect(creators).toEqual(['src/admin/admin-server.ts', 'src/server/guarded-server.ts']);
});

test('programs are imported by nothing, and they alone read the settings of the server', () => {
  const PROGRAMS = ['cli/main.ts', 'src/process/worker.ts', 'quick-start/main.ts', 'generate/main.ts'];
  expect(importsOf('', PROGRAMS)).toEqual(['cli/serving/start-command.ts → quick-start/main.ts']);
  const READERS = [...PROGRAMS, 'src/main.ts'];
  expect(importsOf('', ['src/config.ts'], (file) => READERS.includes(file))).toEqual([]);
  const STARTERS = ['generate/main.ts', 'cli/serving/start-command.ts'];
  const mayStart = (file: string): boolean => file.startsWith('quick-start/') || STARTERS.includes(file);
  expect(importsOf('', ['quick-start/'], mayStart)).toEqual([]);
  expect(importsOf('', ['generate/'], (file) => file.startsWith('generate/'))).toEqual([]);
});

describe('the site, beside the API', () => {
  const SITE = 'src/site/';

  test('nothing of the API imports it; what starts both reads its settings', () => {
    const starters = ['quick-start/', 'cli/serving/site-command.ts'];
    const outside = (file: string): boolean => [SITE, ...starters].some((path) => file.startsWith(path));
    expect(importsOf('', [SITE], outside)).toEqual([]);
    expect(importsOf('quick-start/', [SITE], (file) => !file.startsWith('quick-start/'))).toEqual([
      'quick-start/main.ts → src/site/site-settings.ts',
    ]);
  });

  test('its process loads nothing of http and of the processes', () => {
    const files = filesLoadedBy('src/site/main.ts');
    expect(files).toEqual(expect.arrayContaining(['src/site/app.ts', 'src/service/suggest/suggest.ts']));
    const FOREIGN = ['src/http/', 'src/config.ts', 'src/process/supervisor.ts'];
    expect(files.filter((file) => FOREIGN.some((path) => file.startsWith(path)))).toEqual([]);
    expect(importsOf(SITE, ['src/http/'])).toEqual([]);
  });

  test('only its pages of accounts know keys, records and their storage', () => {
    const isOfAccounts = (file: string): boolean => file.startsWith(`${SITE}account/`);
    const targets = importsOf(SITE, ['src/keys/', 'src/accounts/', 'src/records/', 'src/storage/'], isOfAccounts);
    expect(targets).toEqual([
      `${SITE}address-limit.ts → src/keys/plan.ts`,
      `${SITE}address-limit.ts → src/keys/rate-limit.ts`,
      `${SITE}app.ts → src/keys/api-key.ts`,
    ]);
  });

  test('of processes it takes the life of a program and its start', () => {
    const targets = importsOf(SITE, ['src/process/']).map((arrow) => arrow.split(' → ')[1] as string);
    const names = [
      'follow-source',
      'listen',
      'open-files',
      'open-source',
      'process-settings',
      'program',
      'source-settings',
    ];
    expect([...new Set(targets)].sort()).toEqual(names.map((name) => `src/process/${name}.ts`));
  });

  test('only its pages of accounts know accounts, and where these live', () => {
    const isOfAccounts = (file: string): boolean => file.startsWith(`${SITE}account/`);
    expect(importsOf(SITE, ['src/accounts/', 'src/keys/key-', 'src/keys/open-'], isOfAccounts)).toEqual([]);
    const readers = importsOf(SITE, ['src/records/', 'src/keys/open-', 'src/keys/embedded/', 'src/keys/redis/']);
    expect(readers).toEqual([
      'src/site/account/open-accounts.ts → src/keys/open-key-store.ts',
      'src/site/account/provider.ts → src/records/record-store.ts',
    ]);
  });

  test('what runs in browsers imports nothing that does not', () => {
    const targets = importsOf(`${SITE}browser/`, ['']).map((arrow) => arrow.split(' → ')[1] as string);
    const isOfBrowsers = (target: string): boolean =>
      target.startsWith(`${SITE}browser/`) || target === '@github/combobox-nav';
    expect(targets.length).toBeGreaterThan(2);
    expect(targets.filter((target) => !isOfBrowsers(target))).toEqual([]);
  });
});

test('there is one binary search, one FNV, and one file that knows the internals of Node', () => {
  const filesWith = (pattern: RegExp): string[] =>
    [...imports.keys()].filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  expect(filesWith(/while \((?:low|from|left|start) < (?:high|to|right|end)\)[\s\S]{0,200}>>> 1/)).toEqual([
    'src/format/binary-search.ts',
  ]);
  expect(filesWith(/0x01000193|16777619/)).toEqual(['src/format/hash.ts']);
  expect(filesWith(/\b_header\b|onIncoming|httpAllowHalfOpen|Server\.prototype/)).toEqual([
    'src/server/node-internals.ts',
  ]);
});

test('the files that every folder may import import nothing of the project', () => {
  for (const file of ['logger', 'expected-error']) {
    expect({ file, imports: imports.get(`src/${file}.ts`) }).toEqual({ file, imports: [] });
  }
  expect(imports.get('src/settings.ts')).toEqual(['src/expected-error.ts']);
});

test('build-index stands on format alone; what reads, checks, shows and compares snapshots may use store and service', () => {
  const readers = [
    'commands/inspect-report.ts',
    'verifying/',
    'diffing/',
    // It keeps files in use from being pruned in the way that servers do: by opening them with store's open-file.
    'publishing/',
    // The index of the world is made of the countries' slices in the file that is being written.
    'building/build-world.ts',
    // It copies the slices of a snapshot.
    'packing/',
    'structures/country-slices.ts',
  ].map((path) => `build-index/${path}`);
  const mayRead = (file: string): boolean => readers.some((reader) => file.startsWith(reader));
  expect(importsOf('build-index/', ['src/store/', 'src/service/'], mayRead)).toEqual([]);
  expect(importsOf('build-index/', ['src/http/', 'src/keys/', 'src/process/'])).toEqual([]);
});

/**
 * The folders of build-index from the ground up, with what stands beside them. A file imports from its own folder and
 * from those on the lines above, never from another one on its own line or further down.
 */
const BUILDER: readonly (readonly string[])[] = [
  ['grouping.ts', 'memoize.ts'],
  ['reading', 'writing', 'reporting', 'naming'],
  ['corrections'],
  ['pool', 'tree'],
  ['gazetteer', 'cleaning'],
  ['structures'],
  ['verifying'],
  ['diffing'],
  ['building', 'publishing', 'downloading'],
  ['packing'],
  ['tasks'],
  ['commands'],
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

test('nothing imports tests; src ← build-index ← cli', () => {
  expect(importsOf('', ['test/'])).toEqual([]);
  expect(importsOf('src/', ['build-index/', 'cli/'])).toEqual([]);
  expect(importsOf('', ['cli/'], (file) => file.startsWith('cli/'))).toEqual([]);
  // What a subcommand serves is loaded when it is called.
  expect(importsOf('', ['src/main.ts', 'src/site/main.ts'])).toEqual([
    'cli/serving/serve-command.ts → src/main.ts',
    'cli/serving/site-command.ts → src/site/main.ts',
  ]);
});

test('the independent reader of snapshots is independent: it has nothing but bytes, a hash and the table of letters', () => {
  const folder = 'test/format/independent-reader';
  const readers = filesBelow(folder).filter((file) => !file.endsWith('.test.ts') && !file.endsWith('/scene.ts'));
  expect(readers.length).toBeGreaterThan(2);
  const targets = readers.flatMap(importsIn).filter((target) => !readers.includes(target));
  expect([...new Set(targets)].sort()).toEqual(['any-ascii', 'node:crypto']);
});

test.each([
  ['@photostructure/tz-lookup', ['build-index/structures/place-zones.ts']],
  ['koffi', ['src/platform/libc.ts']],
  ['lmdb', ['src/records/embedded/record-tables.ts']],
  ['prom-client', ['src/admin/metrics-page.ts', 'src/admin/process-metrics.ts']],
  ['pino', ['src/admin/log.ts']],
  ['ioredis', ['src/storage/redis/redis-client.ts']],
  ['flatbuffers', ['src/format/encode-manifest.ts', 'src/format/manifest.ts']],
  ['openid-client', ['src/site/account/provider-client.ts']],
])('%s is imported by these files alone', (name, files) => {
  const importers = [...imports]
    .filter(([file, targets]) => targets.includes(name) && !file.startsWith('src/format/generated/'))
    .map(([file]) => file);
  expect(importers).toEqual(files);
});

test('generated code is imported by the manifest only', () => {
  const isManifest = (file: string): boolean =>
    /^src\/format\/(encode-)?manifest\.ts$/.test(file) || file.startsWith('src/format/generated/');
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
