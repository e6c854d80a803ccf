/**
 * An error that the program throws on purpose. Its message is one sentence for people and contains no secret, so a
 * program that ends with it prints the message alone. Any other error is a defect, printed with its stack. A subclass
 * exists only where code tells it apart, or where it has fields of its own.
 */
export class ExpectedError extends Error {}

/**
 * A value from outside the program is not valid: a setting, an argument, a file to import, a field of a stored record.
 * The message is one sentence that says what is allowed; where the value may be a secret, it does not repeat the value.
 */
export class InvalidValueError extends ExpectedError {
  override readonly name = 'InvalidValueError';
}

/** An error with a code that programs tell apart. `found` says what is wrong, `remedy` what to do about it; one line each. */
export class CodedError<Code extends string> extends ExpectedError {
  constructor(
    readonly code: Code,
    readonly found: string,
    readonly remedy: string,
  ) {
    super(`${code}: ${found}; ${remedy}`);
  }
}

/** The message of a thrown value. */
export function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return errorMessageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/* Errors at the start of a server: the message is one line that names the variable to look at. */

export class StartError extends ExpectedError {
  override readonly name = 'StartError';
}

/** Runs `open`. An error of one of the classes `expected` becomes a StartError that names the variable. */
export async function explainStartErrors<T>(
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
