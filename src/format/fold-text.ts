/**
 * The one definition of how text is folded for search: every script becomes Latin letters, case and accents go,
 * apostrophes vanish and all other punctuation separates words. Builder and server both call foldText, and its version
 * stands in the manifest: a snapshot folded otherwise is refused, since its names could not be found.
 *
 *   "St. Gallen" → "st gallen"     "Майкоп" → "maykop"     "O’Fallon" → "ofallon"     "Łódź" → "lodz"
 *
 * The result holds only a-z, 0-9 and single spaces between words, so one byte is one character. People also write
 * "Muenchen", "o fallon", "Saint Gall" for "St. Gall" and either half of "Alacant/Alicante": the builder indexes such
 * spellings beside the folded name.
 *
 * FlexSearch's Encoder was looked at first. It takes accents off what Unicode decomposes and no more: "Łódź" becomes
 * "łodz", "Straße" and "Ærø" stay, "Майкоп" and "서울" keep their script, and it makes one of doubled letters ("falon").
 */
import anyAscii from 'any-ascii';

export const FOLDING_VERSION = 2;

const ALREADY_FOLDED = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
/** What only case keeps from being folded: most names there are. */
const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
const SEPARATORS = /[^a-z0-9]+/g;

/** What is written with two letters where a keyboard lacks the one. */
const LETTER_PAIRS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const PAIRED_LETTERS = /[äöüøå]/g;
/** "d Alene", "o Fallon": an elided word, whose apostrophe some write as a space. */
const ELIDED_WORDS = /\b([dlos]) (?=[a-z]{2})/g;
/** Words that are written short as often as long. */
const ABBREVIATIONS: readonly (readonly [RegExp, string])[] = [
  [/\bsaint\b/g, 'st'],
  [/\bsainte\b/g, 'ste'],
  [/\bsankt\b/g, 'st'],
  [/\bst\b/g, 'saint'],
  [/\bst\b/g, 'sankt'],
  [/\bste\b/g, 'sainte'],
  [/\bfort\b/g, 'ft'],
  [/\bft\b/g, 'fort'],
  [/\bmount\b/g, 'mt'],
  [/\bmt\b/g, 'mount'],
];
/** Of a name with many such words not every mixture is written. */
const MOST_SPELLINGS = 8;
const MAYBE_ABBREVIATED = /\b(?:sainte?|sankt|ste?|f(?:or)?t|m(?:oun)?t)\b/;

/** Whether foldText leaves the text as it is, because it is folded already and not empty. */
export function isFolded(text: string): boolean {
  return ALREADY_FOLDED.test(text);
}

/** The folded form of `text`; empty when it has neither letters nor digits. */
export function foldText(text: string): string {
  if (isFolded(text)) return text;
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  return foldAscii(anyAscii(text.normalize('NFC')));
}

/** Every folded text by which a name is found: first the folded form, then what else people write. Without repeats. */
export function listSpellings(name: string): string[] {
  const folded = foldText(name);
  if (folded === '') return [];
  const spellings = new Set([folded]);
  if (!isPlain(name)) {
    const composed = name.normalize('NFC').toLowerCase();
    spellings.add(foldText(composed.replace(PAIRED_LETTERS, (letter) => LETTER_PAIRS[letter] as string)));
    spellings.add(anyAscii(composed).toLowerCase().replace(SEPARATORS, ' ').trim());
    if (name.includes('/')) for (const part of name.split('/')) spellings.add(foldText(part));
  }
  spellings.add(folded.replace(ELIDED_WORDS, '$1'));
  if (MAYBE_ABBREVIATED.test(folded)) {
    // Each of what there is already too: "Fort Saint John" is also "ft st john".
    for (const [words, others] of ABBREVIATIONS) {
      for (const spelling of [...spellings].slice(0, MOST_SPELLINGS)) spellings.add(spelling.replace(words, others));
    }
  }
  spellings.delete('');
  return [...spellings];
}

function isPlain(text: string): boolean {
  return isFolded(text) || PLAIN_ASCII.test(text);
}

function foldAscii(text: string): string {
  return text.toLowerCase().replace(APOSTROPHES, '').replace(SEPARATORS, ' ').trim();
}
