/** The commands that ask a snapshot: what they print, with which exit code they end, and where the snapshot comes from. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Command, CommanderError } from 'commander';
import {
  addLookupCommand,
  addMatchCommand,
  addNearbyCommand,
  addReverseCommand,
  addSuggestCommand,
} from '../../../cli/ask/ask-commands.js';
import { CommandFailure } from '../../../src/base/exit-code.js';
import { open, type Places } from '../../../src/library/index.js';
import { BLOCK_ROWS } from '../../fixtures/block-codes.js';
import { damageStructure } from '../../fixtures/damage.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import type { RowsByCountry } from '../../fixtures/hand-made-release.js';

const ADD_COMMANDS = [addLookupCommand, addSuggestCommand, addMatchCommand, addReverseCommand, addNearbyCommand];

let fixture: FixtureSnapshot;
let places: Places;
beforeAll(async () => {
  const cities = [
    cityOf('AE', 'Dubai', 25.08, 55.31, { population: 3_800_000, otherNames: ['Дубай', 'Canillo'] }),
    cityOf('AE', 'Khor Fakkan', 25.34, 56.36, { population: 40_000 }),
    cityOf('SG', 'Singapore', 1.29, 103.85, { population: 5_600_000 }),
  ];
  const rows: RowsByCountry = {
    AD: [
      ['AD100', 'Canillo', 'Canillo', 'Vall', '', 42.5667, 1.6],
      ['AD 100', 'Ransol', 'Canillo', '', '', 42.58, 1.64],
      ['AD500', 'Andorra la Vella', '', '', '', 42.5, 1.5],
    ],
    SG: [
      ['018989', 'Marina Bay', '', '', '', 1.28, 103.85],
      ['059413', 'Chinatown', '', '', '', 1.285, 103.845],
      ['238801', 'Orchard', '', '', '', 1.305, 103.83],
    ],
    BR: BLOCK_ROWS.BR ?? [],
    LI: [['AD100', 'Vaduz \u202e', 'Oberland', '', '', 47.14, 9.52]],
  };
  fixture = await buildFixtureSnapshot(rows, { cities });
  places = await open(fixture.path);
});
afterAll(async () => {
  await places?.close();
  fixture?.cleanup();
});

interface Run {
  readonly out: string;
  /** 0 where the command ends without an error; undefined for an error without a code of its own. */
  readonly exitCode: number | undefined;
  readonly message: string;
}

/** Runs a command line; `env` is the environment. */
async function run(
  line: readonly string[],
  env: Readonly<Record<string, string>> = { SNAPSHOT: fixture.path },
): Promise<Run> {
  let out = '';
  const writeOut = (text: string): void => {
    out += text;
  };
  const program = new Command('postal-places').exitOverride().configureOutput({ writeOut, outputError: () => {} });
  for (const add of ADD_COMMANDS) {
    add(program, { env, writeOut });
  }
  try {
    await program.parseAsync(line, { from: 'user' });
    return { out, exitCode: 0, message: '' };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof CommandFailure) return { out, exitCode: error.exitCode, message };
    if (error instanceof CommanderError) return { out, exitCode: error.exitCode === 0 ? 0 : 2, message };
    return { out, exitCode: undefined, message };
  }
}

describe('found', () => {
  test.each([
    ['lookup AD AD100', ['AD  AD100  Canillo  Vall, Canillo  42.5667, 1.6']],
    ['lookup ad ad 500', ['AD  AD500  Andorra la Vella  -  42.5, 1.5']],
    [
      'lookup AD100',
      ['AD  AD100  Canillo       Vall, Canillo  42.5667, 1.6', 'LI  AD100  Vaduz \\u202e  Oberland       47.14, 9.52'],
    ],
    ['suggest rans', ['AD  AD 100  Ransol  Canillo  42.58, 1.64']],
    ['suggest ad50 --kinds postcode', ['AD  AD500  Andorra la Vella  -  42.5, 1.5']],
    ['suggest liech --kinds country', ['LI  -  Liechtenstein  -  47.1667, 9.5333']],
    ['match Carrer Major 1, AD100 Canillo', ['AD  AD100  Canillo  Vall, Canillo  42.5667, 1.6  exact']],
    ['match Carrer 1, Canillo --country AD', ['AD  -  Canillo  -  42.5734, 1.62  partial']],
    ['match 12 Orchard Road, 018989', ['SG  018989  Marina Bay, Singapore  -  1.28, 103.85  exact']],
    ['reverse 42.58 1.64', ['AD  AD 100  Ransol  Canillo  42.58, 1.64  0.0 km']],
    ['reverse 47 -170 --country any', undefined],
    ['lookup SG 018989', ['SG  018989  Marina Bay, Singapore  -  1.28, 103.85']],
    ['lookup 018989', ['SG  018989  Marina Bay, Singapore  -  1.28, 103.85']],
    ['suggest singapo', ['SG  -  Singapore  -  1.29, 103.85']],
    ['suggest orchard', ['SG  238801  Orchard, Singapore  -  1.305, 103.83']],
    ['suggest 2388 --kinds postcode', ['SG  238801  Orchard, Singapore  -  1.305, 103.83']],
    ['reverse 1.285 103.845', ['SG  059413  Chinatown, Singapore  -  1.285, 103.845  0.0 km']],
    ['nearby 1.285 103.845 --limit 1', ['SG  059413  Chinatown, Singapore  -  1.285, 103.845  0.0 km']],
    [
      'nearby 42.58 1.64 --limit 2',
      [
        'AD  AD 100  Ransol   Canillo        42.58, 1.64   0.0 km',
        'AD  AD100   Canillo  Vall, Canillo  42.5667, 1.6  3.6 km',
      ],
    ],
    ['nearby AD AD500 --radius 1 --by postcode', ['AD  AD500  42.5, 1.5  0.0 km']],
  ])('%s', async (line, lines) => {
    const { out, exitCode } = await run(line.split(' '));
    expect({ lines: out.split('\n').slice(0, -1), exitCode }).toEqual({
      lines: lines ?? [],
      exitCode: lines === undefined ? 4 : 0,
    });
  });

  test.each([
    ['lookup AD AD100', () => places.json.postcode('AD', 'AD100')],
    ['lookup AD100', () => places.json.postcodes('AD100')],
    ['suggest cani --country AD,LI --limit 1', () => places.json.suggest('cani', { country: 'AD,LI', limit: 1 })],
    ['suggest qqqqq', () => '[]'],
    ['match AD100 Canillo --country AD', () => places.json.match('AD100 Canillo', { country: 'AD' })],
    ['reverse -0 -0 --country AD', () => undefined],
    ['reverse 42.58 1.64', () => places.json.reverse(42.58, 1.64)],
    [
      'nearby AD AD100 --radius 3 --countries AD --limit 5',
      () => places.json.nearby({ country: 'AD', postcode: 'AD100' }, { radiusKm: 3, countries: 'AD', limit: 5 }),
    ],
  ])('%s --json prints the exact data', async (line, data) => {
    const text = data();
    const { out, exitCode } = await run([...line.split(' '), '--json']);
    expect(out).toBe(text === undefined ? '' : `${text}\n`);
    expect(exitCode).toBe(text === undefined || text === '[]' ? 4 : 0);
  });
});

test.each([
  ['lookup AD AD999', 4, /No place in AD uses the postcode "AD999"/],
  ['lookup BR 01310-100', 4, /No place in BR .* is inferred: .* belong to São Paulo\.$/],
  ['lookup 01310-100', 4, /is inferred: the data of BR lack it, .* São Paulo\.$/],
  ['lookup UK SW1A', 4, /^United Kingdom is not in this snapshot\.$/],
  ['lookup 75001 France', 4, /^France is not in this snapshot\.$/],
  ['lookup France 75001', 4, /^France is not in this snapshot\.$/],
  ['lookup United Kingdom SW1A', 4, /^United Kingdom is not in this snapshot\.$/],
  ['lookup Nowhere AD100', 2, /^error: country must be a two-letter .* got "Nowhere"$/],
  ['lookup AD', 2, /^error: a postal code is missing behind AD, such as lookup DE 10115$/],
  ['lookup United Kingdom', 2, /a postal code is missing behind United Kingdom/],
  ['lookup ZZ', 4, /No place in any country uses the postcode "ZZ"/],
  ['suggest qqqqq, France', 4, /^France is not in this snapshot\.$/],
  ['suggest DUBAI', 4, /^DUBAI is in the United Arab Emirates, of which /],
  ['suggest Дубай', 4, /^Дубай is in the United Arab Emirates, of which /],
  ['suggest dubai --country AD', 4, /^No results for "dubai"\.$/],
  ['suggest dubai hotel', 4, /^No results for "dubai hotel"\.$/],
  ['suggest khor fakkan', 4, /^No results for "khor fakkan"\.$/],
  ['suggest par --country FR,GB', 4, /^France and United Kingdom are not in this snapshot\.$/],
  ['match nowhere', 4, /^The address leads to no place\.$/],
  ['match 1 Rue X, Lyon, France', 4, /^France is not in this snapshot\.$/],
  ['match Lyon --country FR', 4, /^France is not in this snapshot\.$/],
  ['match Lyon --country France', 4, /^France is not in this snapshot\.$/],
  ['match x', 2, /address must be an address of 2 to 500/],
  ['nearby FR 75001', 4, /^France is not in this snapshot\.$/],
  ['lookup nowhere', 4, /nowhere/i],
  ['suggest qqqqq', 4, /No results for "qqqqq"\./],
  ['reverse 0 -140', 4, /no place within 80 km/],
  ['reverse 42.5 1.8', 4, /^France is not in this snapshot/],
  ['nearby 0 -140', 4, /nothing within the radius/],
  ['lookup', 2, /missing required argument/],
  ['suggest m', 2, /q must be text of 2 to 100/],
  ['suggest cani --limit many', 2, /limit must be an integer/],
  ['suggest cani --limits 5', 2, /unknown option/],
  ['reverse 91 0', 2, /lat must be a decimal number from -90 to 90/],
  ['reverse 42', 2, /missing required argument/],
  ['nearby AD', 2, /a postal code is missing behind AD, such as nearby DE 10115/],
  ['suggest cani --country Andorre,Nowhere', 2, /country must be .* got "AD,Nowhere"/],
  ['nearby 42.5 1.6 --radius 201', 2, /radiusKm must be/],
])('%s ends with %d', async (line, exitCode, message) => {
  expect(await run(line.split(' '))).toEqual({ out: '', exitCode, message: expect.stringMatching(message) });
});

test.each([
  ['lookup Andorra AD100', 'lookup AD AD100'],
  ['lookup andorra AD 100', 'lookup AD AD 100'],
  ['lookup AND AD100', 'lookup AD AD100'],
  ['nearby Andorra AD100 --countries Andorra,Liechtenstein', 'nearby AD AD100 --countries AD,LI'],
  ['reverse 42.58 1.64 --country Andorra', 'reverse 42.58 1.64 --country AD'],
  ['suggest can --country Liechtenstein,ad', 'suggest can --country LI,AD'],
])('%s is %s', async (named, coded) => {
  const expected = await run(coded.split(' '));
  expect(expected).toMatchObject({ exitCode: 0, message: '' });
  expect(await run(named.split(' '))).toEqual(expected);
});

describe("the package's own data", () => {
  test('answer every example of the help', async () => {
    const examples = ADD_COMMANDS.flatMap((add) => {
      let help = '';
      const writeOut = (text: string): void => {
        help += text;
      };
      const program = new Command('postal-places').configureOutput({ writeOut });
      add(program, { env: {}, writeOut });
      program.commands[0]?.outputHelp();
      return Array.from(help.matchAll(/^ +postal-places (.+)$/gm), ([, line]) => line as string);
    });
    expect(examples.length).toBeGreaterThan(9);
    for (const example of examples) {
      expect({ example, ...(await run(example.split(' '), {})) }).toMatchObject({ exitCode: 0, message: '' });
    }
  });

  test('have no other countries, which the message says; that of a named snapshot does not', async () => {
    expect(await run(['lookup', 'JP', '100-0001'], {})).toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^Japan is not in this snapshot; the package's own .* --snapshot /),
    });
    const named = { exitCode: 4, message: 'Japan is not in this snapshot.' };
    expect(await run(['lookup', 'JP', '100-0001'])).toMatchObject(named);
  });
});

describe('the snapshot', () => {
  const LINE = ['lookup', 'AD', 'AD500'];

  test('is that of --snapshot, else that of SNAPSHOT', async () => {
    const nowhere = join(fixture.releasePath, 'nowhere');
    expect((await run([...LINE, '--snapshot', fixture.path], { SNAPSHOT: nowhere })).exitCode).toBe(0);
    expect(await run([...LINE, '--snapshot', nowhere])).toMatchObject({ out: '', exitCode: undefined });
    expect((await run(LINE, { SNAPSHOT: nowhere })).message).toContain('nowhere');
  });

  test('that is damaged in one country answers for the others', async () => {
    const path = `${fixture.path}.damaged`;
    const damaged = damageStructure(readFileSync(fixture.path), 'postcode-index', 'LI', ({ codeOffsets }) => {
      codeOffsets.fill(0xffffff);
    });
    writeFileSync(path, damaged);
    const env = { SNAPSHOT: path };
    expect(await run(LINE, env)).toMatchObject({ exitCode: 0 });
    expect(await run(['lookup', 'LI', 'AD100'], env)).toMatchObject({
      out: '',
      exitCode: undefined,
      message: expect.stringContaining('snapshot.damaged: postcode-index of LI'),
    });
  });
});

test.each(['lookup', 'suggest', 'match', 'reverse', 'nearby'])('%s --help tells the exit codes', async (name) => {
  const { out } = await run([name, '--help']);
  expect(out).toContain('Exit codes: 0 found, 1 failed, 2 wrong usage, 4 nothing found.');
});
