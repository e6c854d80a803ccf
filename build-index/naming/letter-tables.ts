/**
 * Transliterates one word with a table of letters, and keeps the case: "Щёлково" → "Shchyolkovo". Only this file reads
 * such tables. any-ascii transliterates letters that a table lacks.
 */

import anyAscii from 'any-ascii';

export function capitalise(latin: string): string {
  return latin.charAt(0).toUpperCase() + latin.slice(1);
}

export interface LetterTable {
  /** The transliteration of each letter in lower case; empty for a letter that is omitted. */
  readonly letters: Readonly<Record<string, string>>;
  /**
   * Transliterations that depend on the neighbouring letters; the first match wins. Each pattern is sticky (flags "uy")
   * and runs on the whole word in lower case, so that it may look behind.
   */
  readonly rules: readonly (readonly [RegExp, string])[];
}

/** A letter of any Cyrillic alphabet. */
export const CYRILLIC = /\p{Script=Cyrillic}/u;
/** The apostrophes that the tables of letters have as "'". */
export const APOSTROPHES = /[’ʼ`‘]/g;
const LONE_MARK = /^\p{M}$/u;

/** `word` in Latin letters. `word` must be in Unicode's NFC and contain letters and apostrophes only. */
export function transliterate(word: string, { letters, rules }: LetterTable): string {
  const lower = word.toLowerCase();
  // A few letters, such as İ, have more units in lower case: then positions in the two texts would differ.
  if (lower.length !== word.length) return anyAscii(word);
  let latin = '';
  for (let at = 0; at < word.length; ) {
    const [length, text] = matchRule(lower, at, rules) ?? matchLetter(lower, word, at, letters);
    latin += withCaseOf(word, at, length, text);
    at += length;
  }
  return latin.normalize('NFC');
}

/** The number of UTF-16 units that are replaced, and their transliteration. */
type Match = readonly [number, string];

function matchRule(lower: string, at: number, rules: LetterTable['rules']): Match | undefined {
  for (const [pattern, latin] of rules) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(lower) ?? [];
    if (found !== undefined) return [found.length, latin];
  }
  return undefined;
}

function matchLetter(lower: string, word: string, at: number, letters: LetterTable['letters']): Match {
  const known = letters[lower[at] as string];
  if (known !== undefined) return [1, known];
  const letter = String.fromCodePoint(word.codePointAt(at) as number);
  // A lone mark is a stress mark of a dictionary, which Latin omits.
  return [letter.length, LONE_MARK.test(letter) ? '' : anyAscii(letter).toLowerCase()];
}

/**
 * A capital makes a capital, and capitals only where a neighbour is one too: "Щука" → "Shchuka", "ЩУКА" → "SHCHUKA".
 */
function withCaseOf(word: string, at: number, length: number, latin: string): string {
  if (!isCapital(word[at])) return latin;
  const [before, behind] = [word[at - 1], word[at + length]];
  const isAmongCapitals = isCapital(behind) || (behind === undefined && isCapital(before));
  return isAmongCapitals ? latin.toUpperCase() : latin.charAt(0).toUpperCase() + latin.slice(1);
}

function isCapital(letter: string | undefined): boolean {
  return letter !== undefined && letter !== letter.toLowerCase();
}

/*
 * Russian: the system of BGN and PCGN (1947), which atlases and gazetteers use, as it is written without its marks: ь
 * and ъ are left out, and ё is "yo", as in most English text from Russia ("Oryol", "Korolyov").
 */

export const RUSSIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'yo', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm',
    н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch',
    ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  },
  // At the start of a word, and after vowels, й and the signs.
  rules: [[/(?<=^|[аеёиоуыэюяйъь])е/uy, 'ye']],
};

/*
 * Belarusian: the national system of 2000 with its change of 2007, which road signs and maps in Belarus have and the
 * United Nations recommend: "Магілёў" is Mahilioŭ, "Гродзенскі" ends in "dzienski", "Ельск" is Jeĺsk.
 */

export const BELARUSIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'h', д: 'd', е: 'ie', ё: 'io', ж: 'ž', з: 'z', і: 'i', й: 'j', к: 'k', л: 'l',
    м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'ŭ', ф: 'f', х: 'ch', ц: 'c', ч: 'č', ш: 'š',
    ы: 'y', э: 'e', ю: 'iu', я: 'ia',
    // An acute on the letter before it.
    ь: '\u0301',
  },
  rules: [
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])е/uy, 'je'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])ё/uy, 'jo'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])ю/uy, 'ju'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])я/uy, 'ja'],
    [/['’ʼ]/uy, ''],
  ],
};

/*
 * Bulgarian: the Transliteration Act of 2009, which road signs and passports have. "-ия" ends in "-ia": "София" is
 * Sofia.
 */

export const BULGARIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm', н: 'n',
    о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sht', ъ: 'a',
    ь: 'y', ю: 'yu', я: 'ya',
  },
  rules: [[/ия$/uy, 'ia']],
};

/*
 * Georgian: the national system of 2002, without its apostrophes, which road signs and maps leave out: "ქუთაისი" is
 * Kutaisi, "მცხეთა" Mtskheta. The script has no capitals, so the romaniser gives each word one.
 */

export const GEORGIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    ა: 'a', ბ: 'b', გ: 'g', დ: 'd', ე: 'e', ვ: 'v', ზ: 'z', თ: 't', ი: 'i', კ: 'k', ლ: 'l', მ: 'm', ნ: 'n', ო: 'o',
    პ: 'p', ჟ: 'zh', რ: 'r', ს: 's', ტ: 't', უ: 'u', ფ: 'p', ქ: 'k', ღ: 'gh', ყ: 'q', შ: 'sh', ჩ: 'ch', ც: 'ts',
    ძ: 'dz', წ: 'ts', ჭ: 'ch', ხ: 'kh', ჯ: 'j', ჰ: 'h',
  },
  rules: [],
};

/*
 * Greek: ELOT 743 (1982, ISO 843), which road signs, maps and passports have, without the accents: "Πειραιάς" is
 * Peiraias, "Αγία" Agia, "Λευκωσία" Lefkosia.
 */

export const GREEK: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    α: 'a', ά: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', έ: 'e', ζ: 'z', η: 'i', ή: 'i', θ: 'th', ι: 'i', ί: 'i', ϊ: 'i',
    ΐ: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x', ο: 'o', ό: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y',
    ύ: 'y', ϋ: 'y', ΰ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o', ώ: 'o',
  },
  rules: [
    [/γγ/uy, 'ng'],
    [/γξ/uy, 'nx'],
    [/γχ/uy, 'nch'],
    // At the start and at the end of a word one sound, otherwise two.
    [/^μπ|μπ$/uy, 'b'],
    [/ο[υύ]/uy, 'ou'],
    // Before vowels and voiced consonants "v", otherwise "f".
    [/α[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'av'],
    [/α[υύ]/uy, 'af'],
    [/ε[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'ev'],
    [/ε[υύ]/uy, 'ef'],
    [/η[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'iv'],
    [/η[υύ]/uy, 'if'],
  ],
};

/* Macedonian: the letters of passports and road signs, without marks: "Делчево" is Delchevo, "Ѓорче" is Gjorche. */

export const MACEDONIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', ѓ: 'gj', е: 'e', ж: 'zh', з: 'z', ѕ: 'dz', и: 'i', ј: 'j', к: 'k', л: 'l',
    љ: 'lj', м: 'm', н: 'n', њ: 'nj', о: 'o', п: 'p', р: 'r', с: 's', т: 't', ќ: 'kj', у: 'u', ф: 'f', х: 'h', ц: 'c',
    ч: 'ch', џ: 'dj', ш: 'sh',
  },
  rules: [],
};

/*
 * Serbian: its other alphabet, letter for letter, in which everybody there reads and writes: "Ђаковица" is Đakovica.
 */

export const SERBIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', ђ: 'đ', е: 'e', ж: 'ž', з: 'z', и: 'i', ј: 'j', к: 'k', л: 'l', љ: 'lj',
    м: 'm', н: 'n', њ: 'nj', о: 'o', п: 'p', р: 'r', с: 's', т: 't', ћ: 'ć', у: 'u', ф: 'f', х: 'h', ц: 'c', ч: 'č',
    џ: 'dž', ш: 'š',
  },
  rules: [],
};

/*
 * Ukrainian: the national system, resolution 55 of the Cabinet of Ministers of 27 January 2010. The soft sign and the
 * apostrophe are left out, and some letters are written otherwise at the start of a word: "Яготин" is Yahotyn,
 * "Фастів'я" ends in "ia".
 */

export const UKRAINIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i', ї: 'i', й: 'i',
    к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch',
    ш: 'sh', щ: 'shch', ь: '', ю: 'iu', я: 'ia',
  },
  rules: [
    // Otherwise "зг" would read like ж, which is "zh".
    [/зг/uy, 'zgh'],
    [/^є/uy, 'ye'],
    [/^ї/uy, 'yi'],
    [/^й/uy, 'y'],
    [/^ю/uy, 'yu'],
    [/^я/uy, 'ya'],
    [/['’ʼ]/uy, ''],
  ],
};
