/**
 * Classes for node's server whose requests and responses are born with an Express app's own prototypes, so that the
 * `Object.setPrototypeOf` Express does on each of them finds nothing to change: otherwise every hidden class downstream
 * is ruined, at several times the cost of all the rest.
 */

import { IncomingMessage, ServerResponse } from 'node:http';

/** What Express puts before node's prototypes, which these inherit from. */
export interface AppPrototypes {
  request: object;
  response: object;
}

/** To be handed to `createServer`. One server for each app: the app takes the new prototypes for its own. */
export function classesOf(app: AppPrototypes): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  // Express' prototypes inherit from node's own, so the two classes keep everything they had.
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype;
  app.response = AppResponse.prototype;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
