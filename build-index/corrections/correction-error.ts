/** A correction that can't be applied: its line is invalid, or it matches several rows. */

import { ExpectedError } from '../../src/base/errors.js';
import { printable } from '../reporting/printing.js';

/** Maximum length of a quoted value, in characters, so that a message fits on a line. */
const MAX_SHOWN_LENGTH = 80;

export class CorrectionError extends ExpectedError {
  override readonly name = 'CorrectionError';

  /** `where` is "file:line" of the correction; `found` must be printable. */
  constructor(
    readonly where: string,
    readonly expected: string,
    readonly found: string,
  ) {
    super(`${where}: expected ${expected}, found ${found}`);
  }
}

/** A value of a hostile file in quotes: shortened, with control characters escaped. */
export function quote(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return `"${printable(shown)}"`;
}
