/** A country and a postal code as words of a command line. Codes may have spaces: `GB SW1A 1AA`. */

export interface CountryAndCode {
  readonly country: string | undefined;
  readonly code: string;
}

/**
 * The first of several words is the country if it has no digit: a wrong country is told as such, and few codes begin
 * with such a word.
 */
export function splitCountry(words: readonly string[]): CountryAndCode {
  const [first = '', ...others] = words;
  if (others.length === 0 || /\d/.test(first)) return { country: undefined, code: words.join(' ') };
  return { country: first, code: others.join(' ') };
}
