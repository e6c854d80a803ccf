/** Why a file could not be downloaded this time. Other errors, such as those of a full disk, are none of these. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';

  /** `isFinal` says that another try would end the same; `retryAfterMs` is what the server asks to wait. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** For what may be better next time. */
export function passingError(message: string, retryAfterMs = 0): DownloadError {
  return new DownloadError(message, false, retryAfterMs);
}

export function finalError(message: string): DownloadError {
  return new DownloadError(message, true);
}
