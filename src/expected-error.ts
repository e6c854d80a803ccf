/**
 * The base of every error that keys, records and their storage throw on purpose. Its message is one sentence for people
 * and holds no secret; any other error that is thrown there is a defect of ours.
 */
export abstract class ExpectedError extends Error {}

/**
 * A value from outside the program is not valid: a setting, an argument, a file to import, a field of a stored record.
 * The message is one sentence that says what is allowed; where the value may be a secret, it does not repeat the value.
 */
export class InvalidValueError extends ExpectedError {
  override readonly name = 'InvalidValueError';
}

/** What was thrown, in words. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
