/**
 * Errors that are answers: what a request ends with where it asks for something wrong or missing. Nobody reads where in the
 * program they were made, and to write that down costs more than the rest of the answer.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
  }
}
