/**
 * Splits GeoNames' bilingual names, "local / Latin" ("Айтос / Ajtos"). If one side of a slash is in Latin script and
 * the other side in another script, the sides are two spellings of one name; any other slash ("Nienburg/Weser") is part
 * of the name.
 */

interface BilingualName {
  /** The Latin spelling, if the name has two spellings. */
  readonly name: string;
  /** The spelling in the local script; equal to `name` if the name has one spelling. */
  readonly localName: string;
}

const LATIN = /\p{Script=Latin}/u;
const OTHER_LETTER = /[^\P{L}\p{Script=Latin}]/u;

export function splitBilingualName(text: string): BilingualName {
  for (let slash = text.indexOf('/'); slash !== -1; slash = text.indexOf('/', slash + 1)) {
    const left = text.slice(0, slash).trim();
    const right = text.slice(slash + 1).trim();
    if (isLatin(right) && isOtherScript(left)) return { name: right, localName: left };
    if (isLatin(left) && isOtherScript(right)) return { name: left, localName: right };
  }
  return { name: text, localName: text };
}

function isLatin(text: string): boolean {
  return LATIN.test(text) && !OTHER_LETTER.test(text);
}

function isOtherScript(text: string): boolean {
  return OTHER_LETTER.test(text) && !LATIN.test(text);
}
