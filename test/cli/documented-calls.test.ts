/** Every call of the program in documents and deployments is one that the program takes, with its exit codes. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EXIT_MEANINGS } from '../../cli/commands.js';
import { createIdleProgram, parseCall, wordsOf } from './running.js';

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
