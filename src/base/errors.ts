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

/* Errors at the start of a server: the message is one line that names the variable to look at. */

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

/* The characters that a kept name, a line for people or a model, and a spreadsheet's cell may not hold or begin with. */

/**
 * Control characters, halves of surrogate pairs, line breaks that are no controls, and what turns the direction of
 * text. A name that is kept may have other invisible characters, which join the parts of an emoji or shape letters.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** All that, and what nobody sees: format characters, zero widths, tags, fillers, selectors of variants. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text with its unprintable and invisible characters escaped as in JSON, "\u001b": nothing in it can move a
 * terminal's cursor, or tell a model what its reader does not see.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNSEEN, escapeUnits);
}

/** A cell of a table whose columns a "|" parts, in one line. */
export function escapeCell(text: string): string {
  return escapeUnprintable(text).replaceAll('|', escapeUnits);
}

/** A character beyond U+FFFF has two units. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text that a spreadsheet runs as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
export const STARTS_AS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
