/** The examples of the description: what the service answers to those of the route table. */

import { type BulkOperation, bindBulkOperation } from '../src/api/description/bulk-operation.js';
import { type Route, routeTargetOf } from '../src/api/description/define-route.js';
import { addEntry } from '../src/api/http/bulk-handler.js';
import { readResponseData } from '../src/core/answers/response-data.js';
import { service } from '../src/core/answers/service.js';
import { BufferSink } from '../src/core/snapshot/byte-string.js';
import type { Snapshot } from '../src/core/snapshot/snapshot.js';

/** Gives the data of an operation for its example. */
export type Answerer = (operation: Route | BulkOperation) => unknown;

/**
 * Answers from a snapshot of the starter dataset: so each example can be had from a server that `npm start` started.
 */
export function exampleAnswererOf(snapshot: Snapshot): Answerer {
  const lookUp = bindBulkOperation(service);
  return (operation) => {
    if ('body' in operation) {
      return operation.example.lookups.map((lookup) => {
        const out = new BufferSink(0);
        addEntry(out, () => lookUp(snapshot, lookup, {}), rethrow);
        return JSON.parse(out.bytes.toString());
      });
    }
    const { bind, example } = operation;
    return JSON.parse(readResponseData(bind(service)(snapshot, routeTargetOf(operation, example))));
  };
}

function rethrow(defect: unknown): never {
  throw defect;
}
