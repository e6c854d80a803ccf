/** Compares folded names that may be two spellings of one name. */

/** Minimum length of words to compare with one typing error, in characters: "She" and "Shu" are different names. */
const MIN_LENGTH = 5;

/** Whether two texts differ in one word only, by one edit of a letter after its first. */
export function areWordsOneLetterApart(one: string, other: string): boolean {
  const [words, otherWords] = [one.split(' '), other.split(' ')];
  if (words.length !== otherWords.length) return false;
  const differing = words.flatMap((word, index) => (word === otherWords[index] ? [] : [[word, otherWords[index]]]));
  const [pair] = differing;
  return differing.length === 1 && isOneLetterApart(...(pair as [string, string]));
}

/** Words that differ in a digit, and short words, are different names: She and Shu, II and III. */
function isOneLetterApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < MIN_LENGTH || long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  if (same === 0 || /[0-9]/.test(`${short[same] ?? ''}${long[same] ?? ''}`)) return false;
  return short.slice(long.length === short.length ? same + 1 : same) === long.slice(same + 1);
}
