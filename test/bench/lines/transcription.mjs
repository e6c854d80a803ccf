/**
 * Names in Russian and Ukrainian as newspapers in German, French, Spanish and Portuguese write them: Свободный is
 * Swobodny, Вязьма Viazma. Written for the bench alone, after the tables of the Duden, of the French Imprimerie
 * nationale, of the Fundéu and of Brazilian papers, so that a builder's rules are measured by others.
 */
const VOWELS = 'аеёиоуыэюяіїє';
/** The Russian letters in this order, each language's writing of them; `-` is nothing. */
const LETTERS = [...'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'];
const WRITINGS = {
  de: 'a b w g d e jo sch s i i k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja',
  fr: 'a b v g d e io j z i ï k l m n o p r s t ou f kh ts tch ch chtch - y - e iou ia',
  es: 'a b v g d e io zh z i i k l m n o p r s t u f j ts ch sh sch - i - e yu ya',
  pt: 'a b v g d e io j z i i k l m n o p r s t u f kh ts tch ch chtch - i - e iu ia',
};
/** Letters of Ukrainian that are others or sound otherwise there. */
const UKRAINIAN = {
  de: { г: 'h', ґ: 'g', и: 'y', і: 'i', ї: 'ji', й: 'j', є: 'je', ж: 'sch' },
  fr: { г: 'h', ґ: 'g', и: 'y', і: 'i', ї: 'ï', й: 'ï', є: 'ie' },
};
/** Russian е at the start and after a vowel. */
const INITIAL_E = { de: 'je', fr: 'ie', es: 'ye', pt: 'ie' };
const SOFT_AFTER_G = 'еёиэ';

/** The Latin form of a Cyrillic name; undefined if it has other letters than those of its language. */
export function transcribe(name, language, isUkrainian) {
  const writings = new Map(LETTERS.map((letter, at) => [letter, WRITINGS[language].split(' ')[at].replace('-', '')]));
  if (isUkrainian) for (const [letter, writing] of Object.entries(UKRAINIAN[language])) writings.set(letter, writing);
  const words = name.split(/([ -])/).map((word) => transcribeWord(word, language, writings, isUkrainian));
  return words.includes(undefined) ? undefined : words.join('');
}

function transcribeWord(word, language, writings, isUkrainian) {
  if (/^[ -]?$/.test(word)) return word;
  // The endings -ый and -ий are one letter outside the language.
  const letters = [...word.toLowerCase().replace(/([ыи])й$/, '$1')];
  let text = '';
  for (const [at, letter] of letters.entries()) {
    const [before, next] = [letters[at - 1] ?? '', letters[at + 1] ?? ''];
    const isBetweenVowels = VOWELS.includes(before) && before !== '' && VOWELS.includes(next) && next !== '';
    let writing = writings.get(letter);
    if (writing === undefined) return undefined;
    if (!isUkrainian && letter === 'е' && (before === '' || VOWELS.includes(before) || 'ьъ'.includes(before))) {
      writing = INITIAL_E[language];
    }
    if (letter === 'с' && isBetweenVowels && language !== 'es') writing = 'ss';
    if (letter === 'г' && language !== 'de' && !isUkrainian && next !== '' && SOFT_AFTER_G.includes(next))
      writing = 'gu';
    if (letter === 'я' && language === 'es' && before !== '' && !VOWELS.includes(before)) writing = 'ia';
    if (letter === 'ю' && language === 'es' && before !== '' && !VOWELS.includes(before)) writing = 'iu';
    text += writing;
  }
  // French keeps the nasal of a final -in away by an e.
  if (language === 'fr' && /[иы]н$/.test(letters.join('')) && !isUkrainian) text += 'e';
  return text.charAt(0).toUpperCase() + text.slice(1);
}
