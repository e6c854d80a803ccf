/**
 * The core of a name: what is left without the words that say what kind of place it is ("Suwon-si", "City of Makati",
 * "Nanchong Shi", "Cantón Quito") and without spaces, since romanisations differ in them ("Zhu Cheng", "Zhucheng"). The
 * words are those that releases and the gazetteer put before or behind a name; none of them is part of one ("kota",
 * "kampung" and "new" are).
 */

const KIND_WORDS = new Set(
  [
    'city town district county municipality province region urban metropolitan capital special administrative of the',
    // Chinese, Korean, Mongolian.
    'shi qu xian diqu zizhizhou zizhixian xinqu si gun gu',
    // Romance languages.
    'canton provincia departamento distrito municipio ciudad comuna partido concelho cidade comune de del da do di',
    // Germanic, Slavic and Turkic languages, Malay and Indonesian.
    'stadt landkreis kreis kommune gemeente stad powiat gmina mesto hlavni miasto gorod g m rayon raion okrug misto rn',
    'kabupaten bandar ili ilcesi',
  ].flatMap((words) => words.split(' ')),
);
/** What the posts of PK, BD, KE, PH and TH add for an office, a barracks or a district. */
const LESSER_WORDS = new Set('gpo cpo ho tso cantt sadar upazila muang mueang'.split(' '));
/** "Bogotá, D.C." */
const CAPITAL_DISTRICT = / d c$/;
/** A core of fewer letters says too little. */
const MIN_CORE_LENGTH = 3;

/** The core of a folded name; the name without spaces where nothing else would be left. */
export function coreOf(folded: string): string {
  if (!folded.includes(' ')) return folded;
  const words = folded.replace(CAPITAL_DISTRICT, '').split(' ');
  let [start, end] = [0, words.length];
  while (start < end && isKindWord(words[start] as string)) start++;
  while (end > start && isKindWord(words[end - 1] as string)) end--;
  const core = words.slice(start, end).join('');
  return core.length < MIN_CORE_LENGTH ? words.join('') : core;
}

/** Whether a folded name says of what it names that it is less than the place it is named after. */
export function isLesserName(folded: string): boolean {
  return folded.split(' ').some((word) => LESSER_WORDS.has(word));
}

function isKindWord(word: string): boolean {
  return KIND_WORDS.has(word) || LESSER_WORDS.has(word);
}
