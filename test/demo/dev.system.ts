/**
 * `npm run dev` in a copy of the project, whose starter data are Liechtenstein alone: each saved change is served, a file
 * that can't be compiled is shown while the program before it serves, and Ctrl-C leaves no process.
 */

import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CopiedProject, copyProject } from '../fixtures/copied-project.js';
import { descendantsOf, isRunning } from '../fixtures/program.js';
import { waitUntil } from '../fixtures/wait-until.js';

const NEARBY = 'src/core/answers/nearby.ts';
const BUILDER = 'build-index/structures/build-rendered-countries.ts';

let project: CopiedProject;
let npm: ReturnType<typeof spawn>;
let output = '';
let origins: readonly string[] = [];
let key = '';

beforeAll(async () => {
  project = copyProject(['LI']);
  const countries = /\n {2}\.\.\.\['AD', .*\],\n/.exec(
    readFileSync(join(project.path, 'src/releases/packaged/packaged-release.ts'), 'utf8'),
  );
  project.edit('src/releases/packaged/packaged-release.ts', countries?.[0] as string, "\n  'LI',\n");
  npm = spawn('npm', ['run', 'dev'], {
    cwd: project.path,
    // As a terminal runs it: Ctrl-C reaches the whole group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...{ PORT: '0', SITE_PORT: '0', KEYS_DIR: join(project.path, 'keys') },
      ...{ npm_config_update_notifier: 'false', npm_config_logs_max: '0' },
    },
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await ready();
});
afterAll(() => {
  if (isRunning(npm.pid as number)) process.kill(-(npm.pid as number), 'SIGKILL');
  project.remove();
});

/** What is written until the next start is done; addresses and key are those of the last start. */
async function ready(): Promise<string> {
  return await waitUntil('the line of a start that is done', () => {
    const [written] = /^[\s\S]*\nReady after [\d.]+ s.*\n/.exec(output) ?? [];
    if (written === undefined) return undefined;
    output = output.slice(written.length);
    const addresses = /listens on (\S+)[\s\S]* site for people is at (\S+)/.exec(written);
    if (addresses !== null) origins = addresses.slice(1);
    key = /Demo key: (\S+)/.exec(written)?.[1] ?? key;
    return written;
  });
}

async function shown(pattern: RegExp): Promise<void> {
  await waitUntil(`${pattern}`, () => (pattern.test(output) ? true : undefined));
  output = output.replace(pattern, '');
}

function append(name: string, text: string): void {
  appendFileSync(join(project.path, name), text);
}

/** Changes several files in one step, whatever else the machine does. */
function changeAtOnce(change: () => void): void {
  const group = -(npm.pid as number);
  process.kill(group, 'SIGSTOP');
  change();
  process.kill(group, 'SIGCONT');
}

async function messageOfApi(): Promise<string> {
  const response = await fetch(`${origins[0]}/v1/nearby?lat=1`, { headers: { 'x-api-key': key } });
  return ((await response.json()) as { error: { message: string } }).error.message;
}

async function pageAt(path: string): Promise<string> {
  return await (await fetch(`${origins[1]}${path}`)).text();
}

test('serves the starter data with a demo key', async () => {
  expect(await messageOfApi()).toMatch(/^the centre must be/);
  expect(await pageAt('/liechtenstein')).toContain('Vaduz');
});

test('a change of a source is served, and its errors of types are shown', async () => {
  project.edit(NEARBY, "FAILED', `the centre must", "FAILED' satisfies number, `the middle must");
  expect(await ready()).toContain(`: ${NEARBY}\n`);
  expect(await messageOfApi()).toMatch(/^the middle must be/);
  await shown(/nearby\.ts.*error TS1360/);
});

test('a file that can not be compiled is shown, and the program before it serves', async () => {
  project.edit(NEARBY, ' satisfies number,', ' satisfies,');
  await shown(/nearby\.ts:\d+:\d+/);
  expect(await messageOfApi()).toMatch(/^the middle must be/);
  project.edit(NEARBY, ' satisfies,', ',');
  await ready();
});

describe('the starter data are compiled again, and served by the running program, after a change of', () => {
  const currency = async (): Promise<string> => {
    const response = await fetch(`${origins[0]}/v1/countries/LI`, { headers: { 'x-api-key': key } });
    return ((await response.json()) as { data: { currencyCode: string } }).data.currencyCode;
  };
  const renewed = (): Promise<void> => shown(/compiled after .* s, and are loaded\n/);

  test('a table', async () => {
    project.edit('data/countries.tsv', '\tWestern Europe\tCHF\tEurope/Vaduz', '\tWestern Europe\tEUR\tEurope/Vaduz');
    await ready();
    await renewed();
    await waitUntil('another currency', async () => (await currency()) === 'EUR');
  });

  test('the code that a build runs', async () => {
    project.edit(
      BUILDER,
      'currencyCode: details.currencyCode',
      "currencyCode: details.currencyCode.replace('EUR', 'USD')",
    );
    await ready();
    await renewed();
    await waitUntil('another currency', async () => (await currency()) === 'USD');
  });
});

test('a comment, the code of a look-up, and what the site hands out are served without new data', async () => {
  changeAtOnce(() => {
    append(BUILDER, '// A comment.\n');
    project.edit(
      'src/core/snapshot/place-facts.ts',
      '  const zone = facts.zones[place]',
      '  const zone = 0 + facts.zones[place]',
    );
  });
  expect(await ready()).toContain(' and 1 more\n');
  // The look at the builder follows the start: what it finds is written before the next start is done.
  changeAtOnce(() => {
    append('src/site/assets/site.css', '\n.of-a-test { color: red }\n');
    append('src/site/browser/site.ts', "\nconsole.log('of-a-test');\n");
    append('clients/web/src/index.ts', "\nconsole.log('of-a-test');\n");
    project.edit('docs/keys.md', '\n\n', '\n\nWords of a test.\n\n');
  });
  const written = await ready();
  expect(written).toContain(' and 3 more\n');
  expect(written).not.toContain('builder');
  const script = /\/assets\/[^"]*/.exec(await pageAt('/'))?.[0] as string;
  for (const asset of ['site.css', 'site.js'])
    expect(await pageAt(script.replace(/[^/]*$/, asset))).toContain('of-a-test');
  expect(await pageAt('/clients/postal-places.js')).toContain('of-a-test');
  expect(await pageAt('/docs/keys')).toContain('Words of a test.');
});

test('Ctrl-C ends every process', async () => {
  const processes = [npm.pid as number, ...descendantsOf(npm.pid as number)];
  process.kill(-(npm.pid as number), 'SIGINT');
  await waitUntil('every process to end', () => !processes.some(isRunning));
});
