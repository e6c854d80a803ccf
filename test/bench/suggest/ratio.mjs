/** How much longer suggestions take with everything on request: the least of several rounds for each query. */
import { autocomplete } from '../../../dist/src/core/suggest/autocomplete.js';

const ROUNDS = 8;
/** Number of queries of each measure: enough for a steady mean, few enough for some seconds. */
const QUERIES = 150;
const PLAIN = {};
const REQUESTED = { include: ['place'], kinds: ['place', 'postcode', 'country'] };

/** Microseconds per query, without and with what is on request. */
export function timeRequested(snapshot, queries) {
  const chosen = queries.filter((_, at) => at % Math.ceil(queries.length / QUERIES) === 0);
  const best = [PLAIN, REQUESTED].map(() => chosen.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round < ROUNDS; round++) {
    [PLAIN, REQUESTED].forEach((more, which) => {
      chosen.forEach((query, at) => {
        const start = process.hrtime.bigint();
        autocomplete(snapshot, { query, country: undefined, limit: 10, ...more });
        best[which][at] = Math.min(best[which][at], Number(process.hrtime.bigint() - start) / 1_000);
      });
    });
  }
  return best.map((times) => times.reduce((sum, time) => sum + time, 0) / times.length);
}
