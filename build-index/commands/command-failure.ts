import { ExpectedError } from '../../src/expected-error.js';

/** Ends a command with an exit code other than 0; the message is the last line that it prints. */
export class CommandFailure extends ExpectedError {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}
