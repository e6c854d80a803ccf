/** Why a server can't start: one line that names the variable to look at. */
import { InvalidValueError } from './expected-error.js';

export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Runs `open`; a refusal of one of these kinds becomes a StartError that names the variable. */
export async function explain<T>(
  variable: string,
  refusals: readonly (abstract new (...args: never[]) => Error)[],
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
    throw new StartError(`${variable}: ${(error as Error).message}`, { cause: error });
  }
}

/** What to tell of a start that failed: one line where it could be expected, else the stack. */
export function describeStartError(error: unknown): string {
  if (error instanceof StartError || error instanceof InvalidValueError) return error.message;
  return (error as Error).stack ?? String(error);
}
