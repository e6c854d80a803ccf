/** The value of `--countries`, which several commands have. */
import { InvalidArgumentError } from 'commander';

/** Upper case, each once, in the order given. */
export function parseCountries(text: string): string[] {
  const codes = text.toUpperCase().split(',');
  if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    throw new InvalidArgumentError('It must be two-letter country codes with commas between them.');
  }
  return [...new Set(codes)];
}
