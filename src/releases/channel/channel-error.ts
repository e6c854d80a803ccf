/** The error of everything that reads or follows a published channel. */

import { CodedError } from '../../base/errors.js';

/**
 * Why a published channel, one of its releases or a key can't be used. The codes are those of the metric and of the
 * log lines of a pull.
 */
export type ChannelErrorCode =
  | 'KEY_INVALID'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_INVALID'
  | 'FILE_INVALID'
  | 'SEQUENCE_LOWER'
  | 'FORMAT_VERSION'
  | 'FILE_DAMAGED'
  | 'HOST_FAILED'
  | 'TIME_LIMIT'
  | 'NO_SPACE'
  | 'PULL_RUNNING'
  | 'NOT_FOUND';

export class ChannelError extends CodedError<ChannelErrorCode> {
  override readonly name = 'ChannelError';
}
