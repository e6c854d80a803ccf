/** Parses the values of options that several commands have. A wrong value is a wrong call: InvalidArgumentError. */

import { InvalidArgumentError } from 'commander';
import { isChannelName } from '../../src/releases/channel/channel-file.js';

export function parseChannelOption(text: string): string {
  if (!isChannelName(text)) {
    throw new InvalidArgumentError('It must be a to z, 0 to 9 and "-", at most 31, a letter first.');
  }
  return text;
}

/** The codes in upper case, each once, in the order given. */
export function parseCountriesOption(text: string): string[] {
  const codes = text.toUpperCase().split(',');
  if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    throw new InvalidArgumentError('It must be two-letter country codes with commas between them.');
  }
  return [...new Set(codes)];
}

/** Parses an option that names an output. */
export function parseOutFileOption(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a file.');
  return text;
}
