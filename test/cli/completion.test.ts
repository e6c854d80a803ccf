/** The completion scripts: that of bash by asking bash, those of zsh and fish by what they hold. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { SUGGESTION_KINDS } from '../../src/service/suggest/suggested-items.js';
import { createIdleProgram, runHere } from './running.js';

const scripts: Record<string, string> = {};
for (const shell of ['bash', 'zsh', 'fish']) scripts[shell] = (await runHere('completion', shell)).out;

const program = await createIdleProgram();

/** The words that call each command, and the command. */
function commandsBelow(command: Command, path: readonly string[] = []): (readonly [string, Command])[] {
  return command.commands.flatMap((below) => {
    const words = [...path, below.name()];
    return [[words.join(' '), below] as const, ...commandsBelow(below, words)];
  });
}

/** The replies of bash to a tab behind each line; bash itself breaks a line at blanks and equals signs. */
function bashReplies(lines: readonly string[]): string[][] {
  const ask = lines.map((line) => {
    const words = line.split(/ |(?<==)|(?==)/).map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _postal_places; echo "\${COMPREPLY[*]}"`;
  });
  const input = [scripts.bash, 'complete -p postal-places', ...ask].join('\n');
  const [registered, ...replies] = execFileSync('bash', ['--norc'], { input, encoding: 'utf8' }).trimEnd().split('\n');
  expect(registered).toContain('-F _postal_places postal-places');
  return replies.map((reply) => reply.split(' ').filter(Boolean));
}

describe('bash', () => {
  test('offers every command, and every option of each', () => {
    const commands = commandsBelow(program);
    expect(commands.length).toBeGreaterThan(28);
    const replies = bashReplies(['postal-places ', ...commands.map(([path]) => `postal-places ${path} --`)]);
    expect(replies[0]).toEqual(program.commands.map((command) => command.name()));
    expect(replies.slice(1)).toEqual(
      commands.map(([, command]) => [...command.options.map(({ long }) => long as string), '--help']),
    );
  });

  test.each([
    ['postal-places b', ['build']],
    ['postal-places keys l', ['list']],
    ['postal-places keys list --st', ['--store']],
    ['postal-places list --st', []],
    ['postal-places nearby DE 10115 --by ', ['place', 'postcode']],
    ['postal-places suggest --kinds ', [...SUGGESTION_KINDS]],
    ['postal-places download --gazetteer ', ['cities500', 'cities1000', 'cities5000', 'cities15000']],
    ['postal-places download --gazetteer=', ['cities500', 'cities1000', 'cities5000', 'cities15000']],
    ['postal-places download --gazetteer=cities1', ['cities1000', 'cities15000']],
    ['postal-places completion z', ['zsh']],
    // The value of an option is no command, and a file is left to bash.
    ['postal-places keys create --name list --pl', ['--plan']],
    ['postal-places build --out ', []],
    ['postal-places verify ', []],
    ['postal-places nonsense ', bashNames()],
  ])('%j', (line, expected) => {
    expect(bashReplies([line])).toEqual(expected.length === 0 ? [] : [expected]);
  });

  function bashNames(): string[] {
    return program.commands.map((command) => command.name());
  }
});

describe.each(['zsh', 'fish'])('%s', (shell) => {
  const script = scripts[shell] as string;

  test('has every command and every option with its description', () => {
    for (const [path, command] of commandsBelow(program)) {
      const part = partOf(script, path);
      for (const { long = '', description } of command.options) {
        const start = (description.split(/[':[\]]/)[0] as string).slice(0, 30);
        const line = part
          .split('\n')
          .find((one) => one.includes(shell === 'zsh' ? `'${long}[` : `-l ${long.slice(2)} `));
        expect({ path, long, line }).toEqual({ path, long, line: expect.stringContaining(start) });
      }
      for (const below of command.commands) expect(part).toContain(below.name());
    }
  });

  test('has as many quotes as end again', () => {
    const plain = shell === 'zsh' ? script.replaceAll(`'\\''`, '') : script.replaceAll(/\\[\\']/g, '');
    const odd = plain.split('\n').filter((line) => !line.startsWith('#') && (line.split("'").length - 1) % 2 === 1);
    expect(odd).toEqual([]);
  });

  /** The function of a command in zsh, its lines in fish. */
  function partOf(text: string, path: string): string {
    if (shell === 'fish') {
      const lines = text.split('\n').filter((line) => line.includes(`__postal_places_is \\'${path}\\''`));
      return lines.join('\n');
    }
    const name = `_postal_places_${path.replaceAll(/[ -]/g, '_')}`;
    return text.split(`\n${name}() {\n`)[1]?.split('\n}\n')[0] ?? '';
  }
});
