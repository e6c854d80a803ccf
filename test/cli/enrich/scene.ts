/** Runs `enrich` in this process on a small snapshot, with streams that keep what is written. */

import { PassThrough, Readable, Writable } from 'node:stream';
import { afterAll, beforeAll } from '@jest/globals';
import { Command, CommanderError } from 'commander';
import { addEnrichCommand } from '../../../cli/enrich/enrich-command.js';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';

export interface Scene {
  readonly snapshotPath: () => string;
  /** Of a folder that is removed after the tests. */
  readonly folderPath: () => string;
  /** Enriches a table, CSV unless `args` say otherwise, from standard input. */
  readonly enrich: (stdin: string | Buffer, ...args: string[]) => Promise<Run>;
  /** The same; throws unless it exits with 0. */
  readonly resultOf: (stdin: string | Buffer, ...args: string[]) => Promise<string>;
}

/** Built before the tests of the file, and removed after them. */
export function buildScene(countries: readonly string[]): Scene {
  let fixture: FixtureSnapshot;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    const rows = countries.map((country) => [country, HAND_MADE_ROWS[country] ?? []] as const);
    fixture = await buildFixtureSnapshot(Object.fromEntries(rows));
    folder = createTemporaryFolder();
  });
  afterAll(() => {
    fixture?.cleanup();
    folder?.remove();
  });
  const enrich: Scene['enrich'] = (stdin, ...args) => {
    const format = args.includes('--format') ? [] : ['--format', 'csv'];
    return runEnrich(['-', '--snapshot', fixture.path, ...format, ...args], { stdin });
  };
  return {
    snapshotPath: () => fixture.path,
    folderPath: () => folder.path,
    enrich,
    async resultOf(stdin, ...args) {
      const { exitCode, out, errors } = await enrich(stdin, ...args);
      if (exitCode !== 0) throw new Error(errors);
      return out;
    },
  };
}

export interface Run {
  /** As the program would have it: 2 for wrong usage. */
  readonly exitCode: number;
  readonly out: string;
  readonly errors: string;
}

/** A stream that keeps its text. */
export function keepText(): { readonly stream: Writable; readonly text: () => string; readonly bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  return { stream, text: () => bytes().toString('utf8'), bytes };
}

export async function runEnrich(
  args: readonly string[],
  { stdin = '', isTTY = false }: { readonly stdin?: string | Buffer | Readable; readonly isTTY?: boolean } = {},
): Promise<Run> {
  const [out, errors] = [keepText(), keepText()];
  const terminal = new PassThrough();
  terminal.pipe(errors.stream);
  const program = new Command('postal-places')
    .exitOverride()
    .configureOutput({ writeErr: (text) => errors.stream.write(text) });
  addEnrichCommand(program, {
    env: {},
    stdin: stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]),
    stdout: out.stream,
    stderr: Object.assign(isTTY ? terminal : errors.stream, { isTTY }),
  });
  let exitCode = 0;
  try {
    for (const command of program.commands) {
      command.exitOverride().configureOutput({ writeErr: (text) => errors.stream.write(text) });
    }
    await program.parseAsync(['enrich', ...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) errors.stream.write((error as Error).message);
    exitCode = error instanceof CommanderError ? 2 : 1;
  }
  return { exitCode, out: out.text(), errors: errors.text() };
}
