/**
 * Prints all output of the commands. Text from a release, a snapshot or a server may contain control characters, so
 * they are escaped here. In JSON the escapes are JSON's own, so that values stay equal.
 */

import { escapeUnprintable } from '../../src/base/escape-text.js';

/** Prints whole lines on standard output. */
export function printText(text: string): void {
  printOutput(escapeLines(text));
}

/** Prints a message, of one line or several, on standard error. */
export function printMessage(message: string): void {
  process.stderr.write(`${escapeLines(`postal-places: ${message}`)}\n`);
}

/** Writes to standard output. A full disk ends the process with exit code 1, and so does, silently, a closed pipe. */
export function printOutput(text: string): void {
  if (!process.stdout.listeners('error').includes(endWithoutOutput)) process.stdout.on('error', endWithoutOutput);
  process.stdout.write(text);
}

/** The command was executed, but its output is lost. */
export function endWithoutOutput({ code, message }: NodeJS.ErrnoException): void {
  // The reader has all that it wants: `… | head`.
  if (code !== 'EPIPE') printMessage(`the output can't be written (${message})`);
  process.exit(1);
}

/** Keeps line feeds. Text that must stay on one line goes through `printable` before. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/** The text of a hostile row on one line, with control characters escaped. A tab becomes a bar. */
export function printable(text: string): string {
  return escapeUnprintable(text.replaceAll('\t', ' | '));
}
