/**
 * Probes a snapshot before it serves: asks every route the example of its description. Takes a few milliseconds, and brings
 * the first pages into memory. A snapshot without Germany knows few of the answers, which is no fault.
 */

import type { Steps } from '../../base/cooperative.js';
import { errorMessageOf } from '../../base/errors.js';
import { readResponseData } from '../../core/answers/response-data.js';
import { service } from '../../core/answers/service.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { NO_CHANGES } from '../../core/snapshot/release-changes.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { ProbeError } from '../../core/snapshot/snapshot-error.js';
import { routeTargetOf } from './define-route.js';
import { statusOfCode } from './error-codes.js';
import { routes } from './routes.js';

/** Throws ProbeError where the answer fails by anything but what is not there, or is no JSON. */
export function* askExamples(snapshot: Snapshot): Steps<void> {
  // Lists of changes are other files, which are read when they are asked for.
  const alone = { ...snapshot, changes: NO_CHANGES };
  for (const route of routes) {
    try {
      parseJson(readResponseData(route.bind(service)(alone, routeTargetOf(route, route.example))));
    } catch (error) {
      const isAbsent = error instanceof DomainError && statusOfCode[error.code] === 404;
      if (!isAbsent) throw new ProbeError(`${route.id}: ${errorMessageOf(error)}`, { cause: error });
    }
    yield;
  }
}
