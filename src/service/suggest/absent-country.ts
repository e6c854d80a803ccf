/**
 * The country without data that a line is about: it is a name of the country ("Japan", "日本"), the name of one of its big
 * cities ("Tokyo", "東京"), or ends in the country's name ("Nara, Japan"). If places with data have the same name, as Lagos
 * in Portugal, the caller lists these places too.
 */
import { foldQuery } from '../../format/fold-text.js';
import { findCountryByName, findCountryOfAbsentCity } from '../../store/country-by-name.js';
import type { Country, Snapshot } from '../../store/snapshot.js';

/** Maximum number of words of a country's name at the end of a line: "bosnia and herzegovina". */
const MAX_WORDS = 4;

/**
 * Undefined if the line is about no country, or about one with data. `mayEndInCountry` tells whether the end of the line
 * counts: not if the line has an answer, because many places have the name of a country ("Atlanta, Georgia").
 */
export function findAbsentCountry(snapshot: Snapshot, line: string, mayEndInCountry: boolean): Country | undefined {
  const { worldNames, countries } = snapshot;
  const foldings = foldQuery(line);
  if (foldings.includes('')) return undefined;
  const ends = foldings.flatMap((folded) => {
    const words = folded.split(' ');
    return Array.from({ length: Math.min(MAX_WORDS, words.length) }, (_, dropped) =>
      words.slice(-(dropped + 1)).join(' '),
    );
  });
  const numbers = [
    ...foldings.map((folded) => findCountryByName(worldNames, folded)),
    ...foldings.map((folded) => findCountryOfAbsentCity(worldNames, countries, folded)),
    ...(mayEndInCountry ? ends.map((text) => findCountryByName(worldNames, text)) : []),
  ];
  const country = countries[numbers.find((number) => number !== undefined) ?? -1];
  return country?.structures === undefined ? country : undefined;
}
