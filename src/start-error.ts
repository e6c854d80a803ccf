/** Errors at the start of a server: the message is one line that names the variable to look at. */
import { ExpectedError } from './expected-error.js';

export class StartError extends ExpectedError {
  override readonly name = 'StartError';
}

/** Runs `open`. An error of one of the classes `expected` becomes a StartError that names the variable. */
export async function explain<T>(
  variable: string,
  expected: readonly (abstract new (...args: never[]) => Error)[],
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!expected.some((type) => error instanceof type)) throw error;
    throw new StartError(`${variable}: ${(error as Error).message}`, { cause: error });
  }
}

/** The message of a start that failed or, for a defect, the stack. */
export function describeStartError(error: unknown): string {
  if (error instanceof ExpectedError) return error.message;
  return (error as Error).stack ?? String(error);
}
