/** A small snapshot and a folder for the tests of `enrich`, and the command on a table from standard input. */
import { afterAll, beforeAll } from '@jest/globals';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { type Run, runEnrich } from './harness.js';

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
