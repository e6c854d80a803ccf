/** What a subcommand of `postal-places` ends with. */

import { ExpectedError, InvalidValueError } from './errors.js';

/** The exit codes of all subcommands. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2, tooManyLost: 3, nothingFound: 4 } as const;

/** What the exit codes mean, for the help and docs/commands.md. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'failed'],
  [EXIT.wrongUsage, 'wrong usage'],
  [EXIT.tooManyLost, 'a release that loses too many places'],
  [EXIT.nothingFound, 'nothing found'],
];

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
