/** Describes errors of the operating system, such as a missing file or a full disk. */

import { getSystemErrorMap } from 'node:util';

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
