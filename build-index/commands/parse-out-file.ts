/** Parses the option `--out` of commands that write a snapshot. */
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../src/expected-error.js';

/** Throws InvalidArgumentError for an empty name, CommandFailure for a folder. */
export function parseOutFile(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a file.');
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailure(`${text}: is a folder; give the name of a file`, EXIT.failed);
  }
  return text;
}
