/**
 * Prints all output of the commands. Text from a release, a snapshot or a server may contain control characters, so
 * they are escaped here. In JSON the escapes are JSON's own, so that values stay equal.
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

/** Keeps line feeds. Text that must stay on one line goes through `printable` before. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}
