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

/** The exit codes of all subcommands. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2, tooManyLost: 3, nothingFound: 4 } as const;

/**
 * Ends a subcommand with an exit code other than 0. The message, of one line or several, is the last thing printed; it
 * is empty where everything has been printed.
 */
export class CommandFailure extends ExpectedError {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** The exit code of a program that ends with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  return error instanceof InvalidValueError ? EXIT.wrongUsage : EXIT.failed;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
