/** Errors as lines of standard error, each behind the program's name. */
import { escapeLines } from '../build-index/reporting/printing.js';
import { redactApiKeys } from '../src/keys/api-key.js';

const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** The message as one line. It may repeat arguments, so texts that look like a clear key are redacted. */
export function errorLine(message: string): string {
  return errorLines(message.replace(LINE_BREAKING, ' '));
}

/** The same for a message of several lines, such as a list or a stack. */
export function errorLines(message: string): string {
  return `${escapeLines(redactApiKeys(`postal-places: ${message}`))}\n`;
}
