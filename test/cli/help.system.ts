/** The help of the program and of each subcommand, wrong usage and exit codes; and the calls in documents and deployments. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../../cli/commands.js';
import { PROCESS_SURROUNDINGS } from '../../cli/program/program-io.js';
import { EXIT_MEANINGS } from '../../src/base/exit-code.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { runCalls } from '../fixtures/program.js';
import { createIdleProgram, parseCall, runHere, wordsOf } from './running.js';

const bare = await createProgram(undefined, PROCESS_SURROUNDINGS);
const idle = await createIdleProgram();
/** The words that call each subcommand, and each command below one. */
const callable = idle.commands.flatMap((command) => [
  command.name(),
  ...command.commands.map((below) => `${command.name()} ${below.name()}`),
]);

describe('--help', () => {
  test('groups the subcommands, and every one is in a group', async () => {
    const { code, out, error } = await runHere('--help');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const headings = out.match(/^[A-Z]\w+:$/gm) ?? [];
    expect(headings.filter((heading) => ['Ask:', 'Build:', 'Publish:', 'Run:'].includes(heading))).toEqual(
      headings.filter((heading) => heading !== 'Options:'),
    );
    expect(headings).toEqual(expect.arrayContaining(['Build:', 'Publish:', 'Run:']));
    for (const command of bare.commands) {
      const [, group = ''] = out.split(`\n${command.helpGroup()}\n`);
      expect(group.split('\n\n')[0]).toMatch(new RegExp(`^ {2}${command.name()} `, 'm'));
      expect(command.description()).toMatch(/^[a-z][^\n]+[^.]$/);
    }
  });

  test.each(callable)('%s has examples, which the program takes', async (words) => {
    const { code, out, error } = await runHere(...words.split(' '), '--help');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const [, , examples = ''] = /\nExamples(.*):\n((?: {2}.+\n?)+)/.exec(out) ?? [];
    const calls = [...examples.matchAll(/\bpostal-places ([^|<>)\n]+)/g)].map(([, call]) => wordsOf(call as string));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      expect(`${call.join(' ')} `).toMatch(new RegExp(`^${words} `));
      await parseCall(call);
    }
  });

  test('is the same as help, for the program and for a subcommand', async () => {
    expect(await runHere('help')).toEqual(await runHere('--help'));
    expect(await runHere('help', 'build')).toEqual(await runHere('build', '--help'));
    expect(await runHere('help', 'keys', 'create')).toEqual(await runHere('keys', 'create', '--help'));
  });

  test('without a subcommand goes to standard error, as wrong usage', async () => {
    const { out } = await runHere('--help');
    expect(await runHere()).toEqual({ code: 2, out: '', error: out });
  });
});

test('--json is an option of every subcommand that prints a result', () => {
  const leaves = idle.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  const without = leaves.filter((command) => !command.options.some(({ long }) => long === '--json'));
  expect(leaves.length).toBeGreaterThan(25);
  expect(without.map((command) => command.name()).sort()).toEqual(['mcp', 'serve', 'site', 'start']);
});

describe('wrong usage: code 2, and one line that names the help', () => {
  test.each([
    ['a misspelt subcommand', ['biuld'], "'biuld' (Did you mean build?); postal-places --help"],
    ['another one', ['nonsense', '--json'], "'nonsense'; postal-places --help"],
    ['the help of one', ['help', 'nonsense'], "'nonsense'; postal-places --help"],
    ['a misspelt command of keys', ['keys', 'lst'], "'lst' (Did you mean list?); postal-places keys --help"],
    ['an option of nobody', ['--fast'], "'--fast'; postal-places --help"],
    ['a misspelt option', ['list', '--to', 'x', '--jsn'], "'--jsn' (Did you mean --json?); postal-places list"],
    ['an option that is missing', ['build', '.'], "'--out <file>' not specified; postal-places build --help"],
    ['an argument that is missing', ['verify'], "argument 'file'; postal-places verify --help"],
    ['one too many', ['serve', 'x'], "too many arguments for 'serve'"],
    ['a snapshot without a name', ['lookup', 'AD', 'AD500', '--snapshot', ''], 'the name of a file or a folder'],
    ['a setting', ['keys', 'create', '--name', 'x', '--store', 'redis-ring://x'], '--store must be an address'],
    ['an id of a key', ['keys', 'show', 'x'], 'keys list shows all ids; postal-places keys show --help'],
    ['an empty name', ['keys', 'create', '--name', ''], 'empty; postal-places keys create --help'],
    ['no name', ['keys', 'create'], '--name <name>'],
    ['a line break', ['a\nb'], "'a b'"],
  ])('%s', async (_, args, message) => {
    const { code, out, error } = await runHere(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(/^postal-places: [^\n]+\n$/);
    expect(error).toContain(message);
  });

  test('a clear key in place of a subcommand is not repeated', async () => {
    const key = createApiKey();
    for (const args of [[key], ['help', key], [`--${key}`], ['build', key, '--out', 'x', '--countries', key]]) {
      const { code, error } = await runHere(...args);
      expect(code).toBe(2);
      expect(error).not.toContain(key.slice(3, 11));
    }
  });
});

test('a failure is code 1, one line, and names the subcommand that helps', async () => {
  const failures: readonly (readonly [string[], RegExp])[] = [
    [['build', '/nowhere/release', '--out', '/nowhere/x'], /\/nowhere\/release: .*ENOENT.*download/],
    [['keys', 'list', '--store', '/nowhere'], /no key store in \/nowhere: keys create makes one/],
    [['lookup', 'DE', '10115', '--snapshot', '/nowhere/world.snapshot'], /; postal-places (build|publish) /],
    [['lookup', 'DE', '10115', '--snapshot', import.meta.dirname], /; postal-places (build|publish) /],
    [
      ['inspect', import.meta.filename],
      /^postal-places: NOT_A_SNAPSHOT: .*; give a file that postal-places build wrote/,
    ],
  ];
  const results = await runCalls(failures.map(([args]) => args));
  for (const [index, { exitCode, stdout, stderr }] of results.entries()) {
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^postal-places: [^\n]+\n$/);
    expect(stderr).toMatch(failures[index]?.[1] as RegExp);
  }
});

const root = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = ['README.md', 'CONTRIBUTING.md', 'data/README.md'].concat(
  ...['docs', 'docs/contributing'].map((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
);

/** Lines for a shell, with what stands before the program's name and what follows its arguments. */
const CALL =
  /^(?:\$ )?(?:\(umask 077; )?(?:[A-Z_]+=\S* )*(?:npx )?(?:postal-places|docker compose run --rm (builder|keys)) ([^#>|;)\n]+)/gm;

const calls = documents.flatMap((path) =>
  Array.from(textOf(path).matchAll(CALL), ([, service, call]): [string, string[]] => [
    `${path}: ${call?.trim()}`,
    [...(service === 'keys' ? ['keys'] : []), ...wordsOf(call as string)],
  ]),
);

test('the calls are found', () => {
  expect(calls.length).toBeGreaterThan(25);
  for (const name of ['build', 'publish', 'keys', 'serve', 'site']) {
    expect(calls.map(([, words]) => words[0])).toContain(name);
  }
});

test.each(calls.filter(([, words]) => !words.includes('--help')))('%s', async (_, words) => {
  await parseCall(words);
});

test('the subcommands that texts name are there', async () => {
  const names = (await createIdleProgram()).commands.map((command) => command.name());
  const inTexts = documents.flatMap((path) =>
    Array.from(textOf(path).matchAll(/`(?:npx )?postal-places ([a-z-]+)[^`]*`/g), ([, name]) => name as string),
  );
  expect(inTexts.length).toBeGreaterThan(10);
  expect(inTexts.filter((name) => !names.includes(name))).toEqual([]);
});

test('the default of --site-url is the one that the document names', async () => {
  const build = (await createIdleProgram()).commands.find((command) => command.name() === 'build');
  const { defaultValue } = build?.options.find(({ long }) => long === '--site-url') ?? {};
  expect(textOf('docs/building.md')).toContain(`Left out, they point to \`${defaultValue}\``);
});

test('the table of subcommands has all of them', async () => {
  const [, table = ''] = textOf('docs/commands.md').split('\n| Subcommands | What they do |\n|---|---|\n');
  const listed = Array.from(table.split('\n\n')[0]?.matchAll(/^\| (`[^|]+) \|/gm) ?? [], ([, cell]) =>
    (cell as string).split(', ').map((name) => name.replaceAll('`', '')),
  ).flat();
  expect(listed.sort()).toEqual((await createIdleProgram()).commands.map((command) => command.name()).sort());
});

test('the image and the deployments call subcommands', async () => {
  const dockerfile = textOf('Dockerfile');
  expect(textOf('docs/commands.md')).toContain('without one it is `start` |');
  expect(dockerfile).toContain('\nENTRYPOINT ["node", "/app/dist/cli/main.js"]\nCMD ["start"]\n');
  const listed = (pattern: RegExp, path: string): string[][] =>
    Array.from(textOf(path).matchAll(pattern), ([, list]) => JSON.parse(list as string) as string[]);
  const called = listed(/^ +(?:command|args): (\["(?!curl|sh\b).*\])$/gm, 'deploy/compose.yaml')
    .concat(listed(/^ +args: (\[.*\])$/gm, 'deploy/kubernetes.yaml'))
    .filter((words) => words[0] !== '--help');
  const VERIFY = ['verify', '/data/places.snapshot'];
  expect(called).toEqual([['serve'], ['site'], VERIFY, ['serve'], VERIFY, ['site']]);
  for (const words of called) await parseCall(words);
  // The image's entry point is left as it is, but for keys.
  expect(listed(/^ +entrypoint: (\["node".*\])$/gm, 'deploy/compose.yaml')).toEqual([
    ['node', '/app/dist/cli/main.js', 'keys'],
  ]);
});

test('the table of exit codes is what the program ends with', () => {
  const [, table = ''] = textOf('docs/commands.md').split('\n| Exit code | Meaning |\n|---|---|\n');
  const rows = Array.from(table.split('\n\n')[0]?.matchAll(/^\| (\d) \| (.*) \|$/gm) ?? [], ([, code, text]) => [
    Number(code),
    text,
  ]);
  expect(rows).toEqual(EXIT_MEANINGS.map(([code, meaning]) => [code, expect.stringContaining(meaning)]));
});
