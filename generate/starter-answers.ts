/**
 * What the service answers from the starter dataset: the examples of the description are such answers, so each of them
 * can be had from a server that `npm start` started. Costs the compilation of the dataset, some seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileStarterSnapshot } from '../quick-start/starter-snapshot.js';
import type { Route } from '../src/http/routes.js';
import { joinPieces } from '../src/service/json-pieces.js';
import { service } from '../src/service/service.js';
import { openSnapshot, type Snapshot } from '../src/store/snapshot.js';

/** Gives the data of a route for its example. */
export type Answerer = (route: Route) => unknown;

/** Runs `work` with answers from the starter dataset. */
export async function withStarterAnswers<T>(work: (answer: Answerer) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'postal-places-generate-'));
  try {
    const path = join(folder, 'starter.snapshot');
    await compileStarterSnapshot(path);
    return work(answererOf(openSnapshot(path)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function answererOf(snapshot: Snapshot): Answerer {
  return ({ bind, example, parameters }) => {
    const path: Record<string, string> = {};
    const query = new URLSearchParams();
    for (const { name, source } of parameters) {
      const value = example[name];
      if (value === undefined) continue;
      if (source === 'path') path[name] = encodeURIComponent(value);
      else query.set(name, String(value));
    }
    return JSON.parse(joinPieces(bind(service)(snapshot, { path, query: String(query) })));
  };
}
