/**
 * An error without a stack trace, for responses to a wrong request, such as 404. Nobody reads the stack trace of such
 * an error, and capturing it takes more time than the rest of the response.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
  }
}
