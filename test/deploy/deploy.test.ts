/** What the image and the deployments set is what the server and the site read, and agrees with what they do. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readProgramSettings, settings } from '../../src/process/program/settings.js';
import { readPulledSourceOrder } from '../../src/process/source/pulled-source.js';
import { STOP_MARGIN_MS } from '../../src/process/workers/supervisor.js';
import { PACKAGED_SITE_URL } from '../../src/releases/packaged/packaged-release.js';
import { accountSettings } from '../../src/site/account/account-settings.js';
import { readSiteSettings, siteSettings } from '../../src/site/site-settings.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const VARIABLES = [settings, siteSettings, accountSettings].flatMap((table) =>
  Object.values(table).map(({ variable }) => variable),
);

const image = (/^ENV (.*)$/m.exec(textOf('Dockerfile'))?.[1] ?? '').split(' ').map((pair) => pair.split('='));
/** Passwords come from the environment of compose; those of Redis's own service are no settings of ours. */
const compose = textOf('deploy/compose.yaml')
  .replaceAll(/^ {6}(REDIS_\w+_PASSWORD): \$\{\1:\?[^}]+\}\n/gm, '')
  .replaceAll(/\$\{REDIS_\w+_PASSWORD:\?[^}]+\}/g, 'a-password')
  .matchAll(/^ {6}([A-Z_]+): "?([^"\n]*)"?$/gm);
const kubernetes = textOf('deploy/kubernetes.yaml').matchAll(/- name: ([A-Z_]+)\n +value: "?([^"\n]*)"?$/gm);

test.each([
  ['Dockerfile', Object.fromEntries(image), ['HOST', 'PORT', 'KEYS_DIR', 'ADMIN_PORT', 'SITE_HOST', 'SITE_PORT']],
  [
    'compose.yaml',
    Object.fromEntries(Array.from(compose, ([, name, value]) => [name, value])),
    ['SNAPSHOT', 'REDIS_URL', 'SITE_URL', 'API_URL'],
  ],
  [
    'kubernetes.yaml',
    Object.fromEntries(Array.from(kubernetes, ([, name, value]) => [name, value])),
    ['SNAPSHOT', 'SITE_URL', 'API_URL'],
  ],
])('the variables of %s', (_, environment: Record<string, string>, some) => {
  expect(VARIABLES.length).toBeGreaterThan(12);
  expect(Object.keys(environment)).toEqual(expect.arrayContaining(some));
  expect(Object.keys(environment).filter((name) => name !== 'NODE_ENV' && !VARIABLES.includes(name))).toEqual([]);
  expect(() => readProgramSettings(environment)).not.toThrow();
  expect(() => readSiteSettings(environment)).not.toThrow();
});

test.each([
  ['compose.channel.yaml', / {6}(SNAPSHOT\w*): (\S+)$/gm],
  ['kubernetes-channel.yaml', /- name: (SNAPSHOT\w*)\n +value: (\S+)$/gm],
])('%s sets what a channel needs', async (name, pattern) => {
  const pairs = Array.from(textOf(`deploy/${name}`).matchAll(pattern), ([, variable, value]) => [variable, value]);
  const { snapshotSource, ...rest } = readProgramSettings(Object.fromEntries(pairs) as Record<string, string>);
  const order = await readPulledSourceOrder({ ...rest, snapshotSource: snapshotSource as string });
  expect(order).toMatchObject({ address: 'https://data.example.com/places/', channel: 'stable', folder: '/data' });
});

test('a stop is given more time than the drain takes', () => {
  const stopSeconds = readProgramSettings({}).drainSeconds + STOP_MARGIN_MS / 1_000;
  const [, compose] = /stop_grace_period: (\d+)s/.exec(textOf('deploy/compose.yaml')) ?? [];
  const kubernetes = textOf('deploy/kubernetes.yaml');
  const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(kubernetes) ?? [];
  const [, pause] = /"sleep", "(\d+)"/.exec(kubernetes) ?? [];
  expect(Number(compose)).toBeGreaterThan(stopSeconds);
  expect(Number(grace)).toBeGreaterThan(stopSeconds + Number(pause));
});

/** The parts of a file in YAML that begin with a name at `indent` spaces, by name; comments are left out. */
function blocksOf(text: string, indent: number): Map<string, string> {
  const lines = text.replaceAll(/^ *#.*\n/gm, '');
  const blocks = lines.matchAll(new RegExp(`^ {${indent}}([\\w-]+):[^\\n]*\\n(?: {${indent + 1},}.*\\n|\\n)*`, 'gm'));
  return new Map(Array.from(blocks, ([block, name]) => [name as string, block]));
}

const objects = new Map(
  textOf('deploy/kubernetes.yaml')
    .split(/^---\n/m)
    .map((object) => {
      const [, kind] = /^kind: (\w+)$/m.exec(object) ?? [];
      const [, name] = /^ {2}name: ([\w-]+)$/m.exec(object) ?? [];
      return [`${kind} ${name}`, object];
    }),
);
const deployment = objects.get('Deployment postal-places') ?? '';
const siteDeployment = objects.get('Deployment postal-places-site') ?? '';

const PINNED = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

test('images of others are pinned by digest', () => {
  const dockerfile = textOf('Dockerfile');
  const [, base] = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile) ?? [];
  expect(base).toMatch(PINNED);
  const stages = dockerfile.match(/^FROM .*$/gm) ?? [];
  expect(stages).toHaveLength(2);
  for (const stage of stages) expect(stage).toMatch(/^FROM \$\{NODE_IMAGE\}(?: |$)/);
  const files = ['compose', 'kubernetes'].map((name) => textOf(`deploy/${name}.yaml`)).join('');
  const images = Array.from(files.matchAll(/^ +image: (\S+)$/gm), ([, name]) => name as string);
  const others = images.filter((name) => name !== 'postal-places');
  expect(others.map((name) => name.replace(/:.*/, ''))).toEqual(['redis', 'curlimages/curl', 'curlimages/curl']);
  for (const name of others) expect(name).toMatch(PINNED);
});

test('every service of compose.yaml has a limit of memory', () => {
  const services = blocksOf(blocksOf(textOf('deploy/compose.yaml'), 0).get('services') ?? '', 2);
  expect([...services.keys()]).toEqual(['server', 'site', 'redis', 'builder', 'keys']);
  for (const [name, service] of services)
    expect([name, service]).toEqual([name, expect.stringMatching(/^ {4}mem_limit: \d+[mg]$/m)]);
  const redis = services.get('redis') ?? '';
  const [limit, most] = [/mem_limit: (\d+)m/, /--maxmemory (\d+)mb/].map((size) => Number(size.exec(redis)?.[1]));
  expect(limit).toBeGreaterThanOrEqual(2 * (most as number));
});

test('each program has a user of its own in Redis, and no password stands in a file', () => {
  const services = blocksOf(blocksOf(textOf('deploy/compose.yaml'), 0).get('services') ?? '', 2);
  for (const [service, user] of [
    ['server', 'server'],
    ['site', 'site'],
    ['keys', 'keys'],
  ] as const) {
    const password = `REDIS_${user.toUpperCase()}_PASSWORD`;
    const [, url] = /^ {6}REDIS_URL: (.*)$/m.exec(services.get(service) ?? '') ?? [];
    expect(url).toBe(`redis://places-${user}:\${${password}:?is to be set in .env}@redis:6379/0`);
    // A program is given its own password and no other.
    expect(services.get(service)?.match(/REDIS_\w+_PASSWORD/g)).toEqual([password]);
    expect(services.get('redis')).toContain(`\n      ${password}: \${${password}:?`);
    expect(textOf('deploy/redis/users.template')).toContain(`\nuser places-${user} reset on #<${user}>\n`);
  }
  expect(services.get('redis')).toContain('entrypoint: ["sh", "/users/start.sh"]');
  expect(services.get('redis')).toContain('- ./redis:/users:ro\n');
  const kubernetes = textOf('deploy/kubernetes.yaml');
  expect(kubernetes.match(/redis:\/\/\S+@/g)).toEqual([
    'redis://places-server:$REDIS_SERVER_PASSWORD@',
    'redis://places-site:$REDIS_SITE_PASSWORD@',
  ]);
  expect(kubernetes).not.toMatch(/^kind: Secret$/m);
  expect(textOf('.gitignore')).toContain('deploy/*.env\n');
});

test('a pod gets the address of Redis, and nothing else that is secret', () => {
  expect(deployment).not.toMatch(/envFrom|KEY_SECRET/);
  expect(deployment.match(/secretKeyRef:\n +name: postal-places\n +key: (\w+)/g)).toHaveLength(1);
  expect(deployment).toMatch(
    /- name: REDIS_URL\n +valueFrom:\n +secretKeyRef:\n +name: postal-places\n +key: REDIS_URL\n/,
  );
  expect(deployment).toContain('\n      automountServiceAccountToken: false\n');
});

test("clients reach the API's port, and the operators' port only monitoring", () => {
  const policy = blocksOf(objects.get('NetworkPolicy postal-places') ?? '', 0).get('spec') ?? '';
  expect(policy).toContain('policyTypes: [Ingress]\n');
  const rules = (blocksOf(policy, 2).get('ingress') ?? '').split(/^ {4}- /m).slice(1);
  expect(rules).toEqual([
    'ports:\n        - port: http\n',
    expect.stringMatching(
      /^from:\n +- namespaceSelector:\n +matchLabels:\n +kubernetes.io\/metadata.name: monitoring\n +ports:\n +- port: admin\n$/,
    ),
  ]);
  for (const [name, port] of [
    ['http', readProgramSettings({}).port],
    ['admin', 9090],
  ]) {
    expect(deployment).toContain(`- name: ${name}\n              containerPort: ${port}\n`);
  }
  const label = 'app.kubernetes.io/name: postal-places\n';
  expect([deployment, policy].map((object) => object.includes(label))).toEqual([true, true]);
});

test('the site has its own address everywhere, the snapshot of the server, and a secret of its own', () => {
  const { port } = readSiteSettings({});
  expect(siteDeployment).toContain(`- name: pages\n              containerPort: ${port}\n`);
  expect(siteDeployment).not.toMatch(/secretKeyRef|name: (?:REDIS_URL|KEY_SECRET|MAIL_URL)/);
  expect(siteDeployment).toContain('envFrom:\n            - secretRef:\n                name: postal-places-site\n');
  const snapshotOf = (text: string): string | undefined => /^ +- (https:\S+\.snapshot)$/m.exec(text)?.[1];
  expect(snapshotOf(siteDeployment)).toBe(snapshotOf(deployment));
  expect(siteDeployment).toContain('\n      automountServiceAccountToken: false\n');
  const policy = blocksOf(objects.get('NetworkPolicy postal-places-site') ?? '', 0).get('spec') ?? '';
  expect(blocksOf(policy, 2).get('ingress')).toBe('  ingress:\n    - ports:\n        - port: pages\n');
  const site = blocksOf(blocksOf(textOf('deploy/compose.yaml'), 0).get('services') ?? '', 2).get('site') ?? '';
  expect(site).toContain(`- "${port}:${port}"`);
  expect(site).not.toMatch(/KEY_SECRET|MAIL_URL/);
  expect(site).toContain('env_file:\n      - path: accounts.env\n        required: false\n');
  expect(textOf('Dockerfile')).toContain(`EXPOSE 3000 ${port} 9090\n`);
});

test('the image is built from all that the build reads, and has what the site reads', () => {
  const dockerfile = textOf('Dockerfile');
  for (const needed of ['tsconfig.library.json', 'scripts scripts', 'src src', 'demo demo', 'data data']) {
    expect(dockerfile).toMatch(new RegExp(`^COPY .*${needed}`, 'm'));
  }
  expect(dockerfile).toMatch(/^COPY docs docs$/m);
});

test('the image serves the world that it has in /data, and a deployment names each command and its snapshot', () => {
  expect(Object.fromEntries(image)).toHaveProperty('SNAPSHOT', '/data');
  const dockerfile = textOf('Dockerfile');
  expect(dockerfile).toContain(`build data/starter --out /world.snapshot --site-url ${PACKAGED_SITE_URL} `);
  expect(dockerfile).toContain('publish /world.snapshot --to /published');
  expect(dockerfile).toMatch(/^COPY --from=build --chown=node:node \/published \/data$/m);
  expect(dockerfile).toMatch(/^CMD \["start"\]$/m);
  const services = blocksOf(blocksOf(textOf('deploy/compose.yaml'), 0).get('services') ?? '', 2);
  const commands = [
    [services.get('server'), deployment, 'serve'],
    [services.get('site'), siteDeployment, 'site'],
  ] as const;
  for (const [service, object, command] of commands) {
    expect(service).toContain(`command: ["${command}"]\n`);
    expect(service).toContain('\n      SNAPSHOT: /data\n');
    expect(object).toContain(`args: ["${command}"]\n`);
    expect(object).toContain('- name: SNAPSHOT\n              value: /data/places.snapshot\n');
  }
});

test('npm start compiles again when anything changed that the image compiles', async () => {
  const { PROGRAM_SOURCES } = await import(join(import.meta.dirname, '../../scripts/compiled-program.js'));
  const [build = ''] = textOf('Dockerfile').split('RUN npm run build');
  const copied = Array.from(build.matchAll(/^COPY (.+) \S+$/gm), ([, names = '']) => names.split(' ')).flat();
  expect(copied.length).toBeGreaterThan(10);
  // The starter data has a check of its own.
  expect(copied.filter((name) => !PROGRAM_SOURCES.includes(name))).toEqual(['.npmrc', 'data']);
});

test('a build leaves the declarations of the library alone in dist, not those of a file that is gone', async () => {
  const { copyLibraryTypes } = await import(join(import.meta.dirname, '../../scripts/build.js'));
  const folder = createTemporaryFolder();
  try {
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    };
    write('types/src/library/index.d.ts', "export { open } from '../../src/library/open.js';\n");
    write('types/src/library/open.d.ts', 'export declare function open(): void;\n');
    write('types/src/core/inner.d.ts', 'export {};\n');
    write('src/library/gone.d.ts', 'export {};\n');
    copyLibraryTypes(folder.path);
    const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.ts')).sort()).toEqual([
      'src/library/index.d.ts',
      'src/library/open.d.ts',
    ]);
  } finally {
    folder.remove();
  }
});
