/**
 * A failure of the network or the server. Errors of the file system, such as a full disk, are not of this class.
 */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';

  /** `isFinal`: a retry would fail too. `retryAfterMs`: the delay that the server asks for, in milliseconds. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** An error after which a retry may succeed. */
export function retryableError(message: string, retryAfterMs = 0): DownloadError {
  return new DownloadError(message, false, retryAfterMs);
}

export function permanentError(message: string): DownloadError {
  return new DownloadError(message, true);
}
