/**
 * Corrects homoglyphs, letters of another script that look the same: "Уcть-Ордынский" with a Latin c, "Оknianskyi" with
 * a Cyrillic О. In a word of two scripts, the letters of the rarer script become those of the other.
 */

/** Groups of homoglyphs: the Latin, the Cyrillic and the Greek letter; a dot if a script has none. */
const ALIKE =
  'aа. cс. eе. iіι jј. oоο pрρ sѕ. xхχ yу. AАΑ BВΒ CС. EЕΕ HНΗ IІΙ JЈ. KКΚ MМΜ N.Ν OОΟ PРΡ SЅ. TТΤ XХΧ YУΥ Z.Ζ v.ν'.split(
    ' ',
  );
const SCRIPTS = [/\p{Script=Latin}/gu, /\p{Script=Cyrillic}/gu, /\p{Script=Greek}/gu];
const LETTER = /\p{L}/u;
const SEVERAL_LETTERS = /\p{L}{2}/u;

/** `word` in one script, if every letter of the rarer script has a homoglyph; otherwise unchanged. */
export function withoutHomoglyphs(word: string): string {
  if (!SEVERAL_LETTERS.test(word)) return word;
  const counts = SCRIPTS.map((script) => word.match(script)?.length ?? 0);
  if (counts.filter((count) => count > 0).length !== 2) return word;
  const most = counts.indexOf(Math.max(...counts));
  const letters = Array.from(word, (letter) => {
    if (!LETTER.test(letter) || letter.search(SCRIPTS[most] as RegExp) !== -1) return letter;
    const alike = ALIKE.find((line) => line.includes(letter))?.[most];
    return alike === '.' ? undefined : alike;
  });
  return letters.includes(undefined) ? word : letters.join('');
}
