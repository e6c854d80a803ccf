/**
 * Prints all output of the commands. Text from a release, a snapshot or a server may contain control characters, so
 * they are escaped here. In JSON the escapes are JSON's own, so that values stay equal.
 */

import { getSystemErrorMap } from 'node:util';
import { escapeUnprintable } from '../../src/base/errors.js';

/** Prints a report, whole lines, on standard output. */
export function printReport(text: string): void {
  writeOutput(escapeLines(text));
}

/** Prints a message, of one line or several, on standard error. */
export function printMessage(message: string): void {
  process.stderr.write(`${escapeLines(`postal-places: ${message}`)}\n`);
}

/** Writes to standard output. A full disk or a closed pipe ends the process with exit code 1. */
export function writeOutput(text: string): void {
  if (!process.stdout.listeners('error').includes(endWithoutOutput)) process.stdout.on('error', endWithoutOutput);
  process.stdout.write(text);
}

/** The command was executed, but its output is lost. */
export function endWithoutOutput({ message }: Error): void {
  printMessage(`the output can't be written (${message})`);
  process.exit(1);
}

/** Keeps line feeds. Text that must stay on one line goes through `printable` before. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/* Describes errors of the operating system, such as a missing file or a full disk. */

type SystemError = NodeJS.ErrnoException & { readonly syscall: string; readonly dest?: string };

export function isSystemError(error: unknown): error is SystemError {
  return (error as Partial<SystemError> | null)?.syscall !== undefined;
}

/** "/data/current: no such file or directory (ENOENT)"; without a path, the system call: "write: no space left …". */
export function describeSystemError(error: SystemError): string {
  const { code, errno, syscall, path = syscall, dest, message } = error;
  const [, words] = getSystemErrorMap().get(errno ?? 0) ?? [];
  if (words === undefined) return message;
  return `${dest === undefined ? path : `${path} to ${dest}`}: ${words} (${code})`;
}
