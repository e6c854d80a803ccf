/**
 * The core of a name: the name without the words for the kind of place ("Suwon-si", "City of Makati", "Nanchong Shi",
 * "Cantón Quito") and without spaces, since romanisations differ in them ("Zhu Cheng", "Zhucheng"). The list has the
 * words that releases and the gazetteer put before or after a name, but none that is part of names ("kota", "kampung",
 * "new").
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
/** Words that the posts of PK, BD, KE, PH and TH add to a town's name for an office, a barracks or a district. */
const LESSER_WORDS = new Set('gpo cpo ho tso cantt sadar upazila muang mueang'.split(' '));
/** "Bogotá, D.C." */
const CAPITAL_DISTRICT = / d c$/;
/** Minimum length of a core, in letters: shorter cores match unrelated places. */
const MIN_CORE_LENGTH = 3;

/** The core of a folded name; the name without spaces where the core would be too short. */
export function coreOf(folded: string): string {
  if (!folded.includes(' ')) return folded;
  const words = folded.replace(CAPITAL_DISTRICT, '').split(' ');
  let [start, end] = [0, words.length];
  while (start < end && isKindWord(words[start] as string)) start++;
  while (end > start && isKindWord(words[end - 1] as string)) end--;
  const core = words.slice(start, end).join('');
  return core.length < MIN_CORE_LENGTH ? words.join('') : core;
}

/** Whether a folded name is that of an office or a part of the place it is named after ("Karachi Gpo"). */
export function isLesserName(folded: string): boolean {
  return folded.split(' ').some((word) => LESSER_WORDS.has(word));
}

function isKindWord(word: string): boolean {
  return KIND_WORDS.has(word) || LESSER_WORDS.has(word);
}
