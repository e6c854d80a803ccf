/**
 * The second reader's folding, slugs and spellings, as docs/contributing/snapshot-format.md has them; any-ascii is the table that
 * the document names.
 */
import anyAscii from 'any-ascii';

/** Version 3 of folding. */
export function fold(text: string): string {
  const latin = [...text.normalize('NFC')].map((char) => {
    if (char <= '\u007f') return char;
    const ascii = anyAscii(char);
    return /[a-z0-9]/i.test(ascii) && /[\p{S}\p{P}\p{Cf}\p{Extended_Pictographic}]/u.test(char) ? ' ' : ascii;
  });
  const plain = latin.join('').toLowerCase().replace(/['`]/g, '');
  return plain.replace(/[^a-z0-9]+/g, ' ').trim();
}

export function slugOf(name: string): string {
  return fold(name).replaceAll(' ', '-').slice(0, 180).replace(/-$/, '');
}

const LETTER_PAIRS = { ä: 'ae', ö: 'oe', ø: 'oe', ü: 'ue', å: 'aa' };
const ABBREVIATIONS = [
  ...['saint st', 'sainte ste', 'sankt st', 'st saint', 'st sankt', 'ste sainte'],
  ...['fort ft', 'ft fort', 'mount mt', 'mt mount'],
].map((pair) => pair.split(' ') as [string, string]);

export function spellingsOf(name: string): string[] {
  const folded = fold(name);
  if (folded === '') return [];
  let paired = name.normalize('NFC').toLowerCase();
  for (const [letter, pair] of Object.entries(LETTER_PAIRS)) paired = paired.replaceAll(letter, pair);
  const pieces = name.split('/');
  const spellings = new Set([
    folded,
    fold(paired),
    fold(name.replace(/['`´‘’‛ʻʼ′＇]/g, ' ')),
    ...pieces.slice(1).map((_, at) => fold([...pieces.slice(at + 1), ...pieces.slice(0, at + 1)].join(' '))),
    joinElided(folded.split(' ')).join(' '),
    folded
      .split(' ')
      .map((word, at) => (at > 0 && /^0[1-9]$/.test(word) ? word.slice(1) : word))
      .join(' '),
  ]);
  const words = folded.split(' ');
  if (ABBREVIATIONS.some(([word]) => words.includes(word))) {
    for (const [word, other] of ABBREVIATIONS) {
      const replace = (part: string): string => (part === word ? other : part);
      for (const spelling of [...spellings].filter(Boolean).slice(0, 8)) {
        spellings.add(spelling.split(' ').map(replace).join(' '));
      }
    }
  }
  spellings.delete('');
  return [...spellings];
}

/** Each word d, l, o or s with the next word, where that starts with two letters. */
function joinElided(words: readonly string[]): string[] {
  const [word, next, ...rest] = words;
  if (word === undefined) return [];
  const isElided = /^[dlos]$/.test(word) && next !== undefined && /^[a-z]{2}/.test(next);
  return isElided ? [word + next, ...joinElided(rest)] : [word, ...joinElided(words.slice(1))];
}
