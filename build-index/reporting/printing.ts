/**
 * Everything that the commands print. It may hold bytes of a release, of a snapshot or of a server, so whatever could move
 * a terminal's cursor is escaped here, whoever made the text. In JSON these are the escapes of JSON: its values stay.
 */
import { escapeUnprintable } from '../../src/unprintable.js';

/** Prints a report, whole lines, on standard output. */
export function printReport(text: string): void {
  process.stdout.write(escapeLines(text));
}

/** Prints a message, of one line or several, on standard error. */
export function printMessage(message: string): void {
  process.stderr.write(`${escapeLines(`build-index: ${message}`)}\n`);
}

/** Line feeds stay. What must not break a line goes through `printable` before. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}
