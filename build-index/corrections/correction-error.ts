/** Why corrections can't be applied: a line of their file that is not as it must be, or that fits several rows. */
import { printable } from '../reporting/tables.js';

const MAX_SHOWN_LENGTH = 80;

export class CorrectionError extends Error {
  override readonly name = 'CorrectionError';

  /** `where` is "file:line" of the line with the correction, `found` what is to be shown of it. */
  constructor(
    readonly where: string,
    readonly expected: string,
    readonly found: string,
  ) {
    super(`${where}: expected ${expected}, found ${found}`);
  }
}

/** A value of a hostile file in quotes: short, and without what moves a terminal's cursor. */
export function quote(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return `"${printable(shown)}"`;
}
