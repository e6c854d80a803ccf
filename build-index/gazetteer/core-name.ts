/**
 * The core of a name: what is left without the words that say what kind of place it is ("Suwon-si", "City of Makati",
 * "Nanchong Shi", "Cantón Quito") and without spaces, since romanisations differ in them ("Zhu Cheng", "Zhucheng"). The
 * words are those that releases and the gazetteer put before or behind a name; none of them is part of one ("kota",
 * "kampung" and "new" are).
 */

const KIND_WORDS = new Set(
  [
    // English, and what the post of Pakistan, Bangladesh and the Philippines adds.
    'city town district county municipality province region urban sadar upazila metropolitan capital special administrative of the',
    'gpo cpo ho tso cantt',
    // Chinese, Korean, Mongolian.
    'shi qu xian diqu zizhizhou zizhixian xinqu si gun gu',
    // Romance languages.
    'canton provincia departamento distrito municipio ciudad comuna partido concelho cidade comune de del da do di',
    // Germanic, Slavic and Turkic languages, Malay and Indonesian.
    'stadt landkreis kreis kommune gemeente stad powiat gmina mesto hlavni miasto gorod g m rayon raion okrug misto rn',
    'kabupaten bandar ili ilcesi',
  ].flatMap((words) => words.split(' ')),
);
/** "Bogotá, D.C." */
const CAPITAL_DISTRICT = / d c$/;
/** A core of fewer letters says too little. */
const MIN_CORE_LENGTH = 3;

/** The core of a folded name; the name without spaces where nothing else would be left. */
export function coreOf(folded: string): string {
  if (!folded.includes(' ')) return folded;
  const words = folded.replace(CAPITAL_DISTRICT, '').split(' ');
  let [start, end] = [0, words.length];
  while (start < end && KIND_WORDS.has(words[start] as string)) start++;
  while (end > start && KIND_WORDS.has(words[end - 1] as string)) end--;
  const core = words.slice(start, end).join('');
  return core.length < MIN_CORE_LENGTH ? words.join('') : core;
}
