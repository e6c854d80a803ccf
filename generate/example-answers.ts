/** What the service answers to the examples of the route table. */
import type { Route } from '../src/api/routes.js';
import { readResponseData } from '../src/service/response-data.js';
import { service } from '../src/service/service.js';
import type { Snapshot } from '../src/store/snapshot.js';

/** Gives the data of a route for its example. */
export type Answerer = (route: Route) => unknown;

/**
 * Answers from a snapshot of the starter dataset: so each example can be had from a server that `npm start` started.
 */
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
    return JSON.parse(readResponseData(bind(service)(snapshot, { path, query: String(query) })));
  };
}
