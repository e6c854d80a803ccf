/**
 * Probes a snapshot before it serves: asks every route the example of its description, about the first and the last leaf of
 * the first, the middle and the last country with postcode data. Takes some 40 ms, and brings the first pages into memory.
 */

import type { Steps } from '../../base/cooperative.js';
import { errorMessageOf } from '../../base/errors.js';
import { readResponseData } from '../../core/answers/response-data.js';
import { service } from '../../core/answers/service.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { NO_CHANGES } from '../../core/snapshot/release-changes.js';
import type { CountryStructures, Snapshot } from '../../core/snapshot/snapshot.js';
import { ProbeError } from '../../core/snapshot/snapshot-error.js';
import { type Route, routeTargetOf } from './define-route.js';
import { type ExampleValues, hasFound, type LeafEnd, listExampleValues, substitute } from './example-values.js';
import { routes } from './routes.js';

/**
 * The routes that may find nothing: a leaf has no children, since the served release nothing has changed, and not every
 * code with a name is sure enough to be an address.
 */
const MAY_BE_EMPTY: readonly Route['id'][] = ['listChildren', 'listChanges', 'match'];

/** The parameters whose values an answer repeats. */
const REPEATED = ['country', 'id', 'path', 'postcode', 'from', 'to'];
/** The routes whose answer about a leaf may repeat none: it is empty, or has the codes of a whole city. */
const REPEATS_NONE: readonly Route['id'][] = ['listChildren', 'listPostcodes', 'match'];

/** Throws ProbeError where an answer fails, is no JSON, finds nothing, or is about something else. */
export function* askExamples(snapshot: Snapshot): Steps<void> {
  // Lists of changes are other files, which are read when they are asked for.
  const alone = { ...snapshot, changes: NO_CHANGES };
  const covered = snapshot.countries.filter(({ structures }) => structures !== undefined);
  for (const country of new Set([covered.at(0), covered.at(covered.length >> 1), covered.at(-1)])) {
    if (country?.structures === undefined) continue;
    const { structures, entry } = country;
    for (const end of ['first', 'last'] as const) {
      const values = probing(`the ${end} place of ${entry.code}`, () => readValues(structures, end));
      if (values === undefined) continue;
      for (const route of routes) {
        probing(route.id, () => ask(alone, route, { ...values, since: snapshot.release }));
        yield;
      }
    }
  }
}

function readValues(structures: CountryStructures, end: LeafEnd): ExampleValues | undefined {
  const [values] = listExampleValues(structures, end);
  return values;
}

function ask(snapshot: Snapshot, route: Route, substitutes: ExampleValues): void {
  const values = substitute(route.example, substitutes);
  const target = routeTargetOf(route, values);
  // A name can be too short to be searched for, such as that of the village Y.
  if (route.id === 'autocomplete' && route.isRefused(target)) return;
  const text = readResponseData(route.bind(service)(snapshot, target));
  const data = parseJson(text);
  if (!MAY_BE_EMPTY.includes(route.id) && !hasFound(data))
    throw new ProbeError(`finds nothing for ${JSON.stringify(values)}`);
  if (REPEATS_NONE.includes(route.id)) return;
  for (const name of REPEATED) {
    // An end of a distance is a country and a code.
    const repeated = values[name] === undefined ? '' : JSON.stringify(values[name]).replace(/^"[A-Z]{2}:/, '"');
    if (!text.includes(repeated))
      throw new ProbeError(`the answer to ${JSON.stringify(values)} does not have ${repeated}`);
  }
}

function probing<T>(what: string, probe: () => T): T {
  try {
    return probe();
  } catch (error) {
    throw new ProbeError(`${what}: ${errorMessageOf(error)}`, { cause: error });
  }
}
