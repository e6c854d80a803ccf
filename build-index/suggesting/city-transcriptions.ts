/**
 * The transcriptions of a city with a Cyrillic name: other names by rule for the many towns whose gazetteer row lacks
 * them. The rule reads the name in the release and those names of the gazetteer that are surely in the country's
 * language: marked as such, or equal to the main name once they are romanised.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { transcribe } from '../naming/cyrillic-transcription.js';
import { CYRILLIC } from '../naming/letter-tables.js';
import { createRomaniser } from '../naming/romanising.js';

/**
 * The languages of each country that are written in one of the alphabets, as the gazetteer marks them. Serbian and
 * Macedonian are not among them: they have Latin letters that every language uses.
 */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  RU: ['ru'],
  UA: ['uk', 'ru'],
  BY: ['be', 'ru'],
  BG: ['bg'],
  KZ: ['ru'],
  KG: ['ru'],
  TJ: ['ru'],
};

/** Lists the transcriptions of a city, without repeats. `localNames` are the names of its places in the release. */
type TranscribeCity = (city: NamedCity, localNames: readonly string[]) => readonly string[];

export function createTranscriber(countryCode: string): TranscribeCity {
  const languages = LANGUAGES[countryCode];
  if (languages === undefined) return () => [];
  const romanise = createRomaniser(countryCode, []);
  return ({ name, asciiName, alternateNames, otherNames }, localNames) => {
    const mainNames = [name, asciiName].map(foldText);
    const isMain = (other: string): boolean => CYRILLIC.test(other) && mainNames.includes(foldText(romanise(other)));
    const names = new Set([
      ...localNames,
      ...alternateNames.filter(({ language }) => languages.includes(language)).map((alternate) => alternate.name),
      ...otherNames.filter(isMain),
    ]);
    return [...new Set([...names].flatMap((one) => transcribe(countryCode, one)))];
  };
}
