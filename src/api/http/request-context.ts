/** What the service learns of a request from its arrival to its end, and the observer that is told of it then. */

import type { Request, Response } from 'express';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { CallerStatus, KeyLimits, KeyRefusal } from '../../keys/decision/key-decision.js';

export interface RequestContext {
  correlationId: string;
  /** Taken once, so that no answer mixes two snapshots. */
  snapshot: Snapshot;
  /** Where the key stands, once it was found good. */
  limits: KeyLimits | undefined;
  /**
   * The one origin whose pages may read the answer, null for none: of a publishable key, once its origins are known.
   * Undefined: pages of every origin may.
   */
  readingOrigin: string | null | undefined;
  /** The route's template, once one was found. */
  route: string | undefined;
  /** The outcome of the key check, and the id of the key, once they are known. */
  keyOutcome: KeyOutcome | undefined;
  keyId: string | undefined;
  /** The lookups of a bulk request that were answered. */
  lookupCount: number | undefined;
}

export type KeyOutcome = CallerStatus | KeyRefusal | 'unavailable' | 'keyless' | 'keyless-limited';

/** The context of what is refused before there is a snapshot to name. */
export type EarlyContext = Pick<RequestContext, 'correlationId'> & Partial<RequestContext>;

/** Gives a response its context, of one shape for all: Express' own object for it is a dictionary. */
export function openContext(response: Response, correlationId: string, snapshot: Snapshot): RequestContext {
  const context: RequestContext = {
    correlationId,
    snapshot,
    limits: undefined,
    readingOrigin: undefined,
    route: undefined,
    keyOutcome: undefined,
    keyId: undefined,
    lookupCount: undefined,
  };
  response.locals = context as RequestContext & Record<string, unknown>;
  return context;
}

/** A response's context; the first middleware opens it. */
export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}

/** Told of every request once its answer is out, or its connection gone: for metrics and access logs. */
export interface RequestObserver {
  /** `seconds` since it arrived. `contextOf(response)` holds what became of it. */
  answered(request: Request, response: Response, seconds: number): void;
  /** Of what was refused before there was a request: bad syntax, too much of it, too slow. */
  refusedEarly(status: number, correlationId: string): void;
}
