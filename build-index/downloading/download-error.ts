/**
 * Why the network or the server did not give a file. Errors of the file system, such as a full disk, are not of this
 * class.
 */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';

  /** `isFinal`: another try would end the same. `retryAfterMs`: how long the server asks to wait. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** An error that another try may not meet. */
export function passingError(message: string, retryAfterMs = 0): DownloadError {
  return new DownloadError(message, false, retryAfterMs);
}

export function finalError(message: string): DownloadError {
  return new DownloadError(message, true);
}
