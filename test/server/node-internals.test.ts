/**
 * What the server does where Node keeps its internals elsewhere. All tests of the server and of HTTP run in that mode as
 * well: see the second project of jest.config.js.
 */

import type { Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { programFile } from '../../src/base/package-root.js';
import { createSpecimens, findMissing, type Specimens } from '../../src/server/node-internals.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { originOf, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n';

/** A response that has these fields once its head is written. */
function responseWith(fields: PropertyDescriptorMap): ServerResponse {
  return Object.defineProperties({ writeHead() {} }, fields) as unknown as ServerResponse;
}

test.each<[what: string, change: Partial<Specimens>, missing: readonly string[]]>([
  ['nothing, of this version of Node', {}, []],
  ['the text of a head', { response: responseWith({}) }, ['headText']],
  [
    'the end of that text',
    { response: responseWith({ _header: { value: HEAD.trimEnd(), writable: true } }) },
    ['headText'],
  ],
  ['the right to change that text', { response: responseWith({ _header: { value: HEAD } }) }, ['headText']],
  ['the switch for half-open connections', { server: Object.create(null) as Server }, ['halfOpenSwitch', 'netClose']],
  ['the parser', { socket: new Duplex() }, ['parserCallback']],
  ["the parser's callback", { socket: Object.assign(new Duplex(), { parser: {} }) }, ['parserCallback']],
])('what is missing is found: %s', (_what, change, missing) => {
  expect([...findMissing({ ...createSpecimens(), ...change })]).toEqual(missing);
});

describe('a program whose Node keeps them elsewhere', () => {
  const folder = createTemporaryFolder();
  const keysDir = join(folder.path, 'keys');
  let fixture: FixtureSnapshot;
  let key: string;
  const programs: ServerProgram[] = [];

  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
    key = await createStoredKey(keysDir);
  });

  afterAll(async () => {
    for (const program of programs) program.process.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    fixture.cleanup();
    folder.remove();
  });

  test.each([
    ['the server with two workers', 'serve', '/v1/countries/LI'],
    ['the site', 'site', '/liechtenstein'],
  ])('%s warns once, and answers', async (_name, subcommand, path) => {
    const internals = pathToFileURL(programFile('src/server/node-internals.js'));
    const program = startServerProgram(subcommand, {
      // Runs before the program, in its workers too.
      NODE_OPTIONS: `--import "data:text/javascript,import{usePublicApiOnly}from'${internals}';usePublicApiOnly()"`,
      ...{ SNAPSHOT: fixture.path, KEYS_DIR: keysDir, PORT: '0', SITE_PORT: '0', WORKERS: '2', ACCOUNTS: 'off' },
    });
    programs.push(program);
    const { status } = await fetch((await originOf(program)) + path, { headers: { 'x-api-key': key } });
    expect(status).toBe(200);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    const warnings = program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('this version of Node'));
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        node: process.version,
        missing: ['headText', 'halfOpenSwitch', 'parserCallback', 'netClose'],
      }),
    ]);
  });
});
