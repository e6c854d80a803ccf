/** A country and a postal code as words of a command line. Codes and names may have spaces: `GB SW1A 1AA`, `New Zealand 6011`. */

export interface CountryAndCode {
  readonly country: string | undefined;
  /** Undefined where all words are those of a country. */
  readonly code: string | undefined;
}

/** Finds the codes of the countries that texts mean. */
type FindCountryCodes = (texts: readonly string[]) => Promise<readonly (string | undefined)[]>;

/**
 * The country is the most of the first words without a digit that mean one. Where none do, the first of several words is
 * told as a wrong country, because few codes begin with a word without a digit.
 */
export async function splitCountry(
  words: readonly string[],
  findCountryCodes: FindCountryCodes,
): Promise<CountryAndCode> {
  const digitAt = words.findIndex((word) => /\d/.test(word));
  const names = words.slice(0, digitAt < 0 ? words.length : digitAt);
  const [first, ...others] = words;
  if (names.length === 0 || first === undefined) return { country: undefined, code: words.join(' ') };
  // A code of two letters needs no snapshot to be read.
  if (first.length === 2 && others.length > 0) return { country: first, code: others.join(' ') };
  const codes = await findCountryCodes(names.map((_, index) => names.slice(0, index + 1).join(' ')));
  const last = codes.findLastIndex((code) => code !== undefined);
  if (last < 0)
    return others.length === 0 ? { country: undefined, code: first } : { country: first, code: others.join(' ') };
  return { country: codes[last], code: words.slice(last + 1).join(' ') || undefined };
}
