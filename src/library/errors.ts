/** The errors of the library. Each has a `code`, for programs that see the error in another thread. */

import type { ParameterFault } from '../../clients/typescript/src/error-codes.js';

/** An argument is missing, is not allowed or is misspelt; the rules for values are those of the API. */
export class InvalidArgumentError extends Error {
  override readonly name = 'InvalidArgumentError';
  readonly code = 'INVALID_ARGUMENT';

  constructor(
    message: string,
    /** One fault for each wrong argument, then one for each option that looks misspelt; as the API's error.details. */
    readonly details: readonly ParameterFault[],
  ) {
    super(message);
  }
}

/**
 * A snapshot could not be opened or, as an `error` event, a new snapshot was refused and the one before stays in use.
 * `cause` is the reason.
 */
export class OpenError extends Error {
  override readonly name = 'OpenError';
  readonly code: 'OPEN_FAILED' | 'NO_PACKAGED_DATA';

  constructor(message: string, { code = 'OPEN_FAILED', cause }: { code?: OpenError['code']; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * A lookup failed, and the snapshot's file does not match its checksums. A file that was named stays where it is; one that
 * the package compiled is removed, and compiled again by the next `open`. `cause` is the error of the lookup.
 */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
  readonly code = 'DAMAGED';
}

/** A lookup was made after `close()`. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
  readonly code = 'CLOSED';

  constructor() {
    super('these places are closed: open the snapshot again');
  }
}
