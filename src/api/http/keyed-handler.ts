/**
 * The handler of an endpoint that needs a key: its key is checked, then it responds. A gate that answers at once keeps the
 * whole request in one turn of the event loop; only a gate that must ask a store, or a wait for the client's turn, costs a
 * promise. Errors are answered here: to go on through Express' routes to its error handler would cost a third of the
 * answer.
 */

import type { Request, RequestHandler, Response } from 'express';
import type { Service } from '../../core/answers/service.js';
import type { KeyDecision } from '../../keys/decision/key-decision.js';
import type { FairQueue } from '../../server/fair-queue.js';
import type { Route } from '../description/define-route.js';
import { keyCheckFailedError } from './http-errors.js';
import { applyKeyCheck, checkKey, type KeyGates, keyClientOf } from './key-check.js';
import { KEYLESS } from './keyless.js';
import type { Renderer } from './render-response.js';
import { contextOf } from './request-context.js';
import type { ErrorSender } from './send-error.js';

/** The parts of the application that every endpoint needs. */
export interface HandlerDependencies extends KeyGates {
  readonly service: Service;
  readonly renderer: Renderer;
  readonly sendError: ErrorSender;
  /** The turns of clients whose requests take long. */
  readonly queue: FairQueue;
}

/** A request before its key is checked. */
export interface PreparedRequest {
  /** How many requests of the rate it counts as. */
  readonly rateCost: number;
  /** Sends the answer, once the key is good. An error that it throws is sent instead. */
  readonly respond: () => void;
}

/**
 * `operation` is the one that a publishable key must allow. Requests that take long, and all requests without a key, which
 * may be a thousand at once, wait for their client's turn, so that their bursts delay no other client.
 */
export function createKeyedHandler(
  path: string,
  operation: Route['id'],
  { sendError, queue, ...gates }: Pick<HandlerDependencies, 'sendError' | 'queue' | keyof KeyGates>,
  prepare: (request: Request, response: Response) => PreparedRequest,
): RequestHandler {
  return (request, response) => {
    const context = contextOf(response);
    context.route = path;
    const { rateCost, respond } = prepare(request, response);
    const proceed = (decision: KeyDecision): void => {
      try {
        applyKeyCheck(context, decision, request);
        if (rateCost === 1 && context.keyId !== KEYLESS) respond();
        else void queue.enter(keyClientOf(context, request)).then(respondInTurn);
      } catch (error) {
        sendError(error, request, response);
      }
    };
    const respondInTurn = (): void => {
      if (response.destroyed) return;
      try {
        respond();
      } catch (error) {
        sendError(error, request, response);
      }
    };
    // Whatever goes wrong inside a gate, at once or later, is a failed check and not a fault of the request.
    const fail = (cause: unknown): void => sendError(keyCheckFailedError(cause), request, response);
    let decision: KeyDecision | Promise<KeyDecision>;
    try {
      decision = checkKey(gates, request, operation, 1, rateCost);
    } catch (cause) {
      fail(cause);
      return;
    }
    if ('then' in decision) void decision.then(proceed, fail);
    else proceed(decision);
  };
}
