/** Parses the option `--countries`. */
import { InvalidArgumentError } from 'commander';

/** The codes in upper case, each once, in the order given. */
export function parseCountries(text: string): string[] {
  const codes = text.toUpperCase().split(',');
  if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    throw new InvalidArgumentError('It must be two-letter country codes with commas between them.');
  }
  return [...new Set(codes)];
}
