/**
 * The second reader's folding, slugs and spellings, by the table of any-ascii. Shares no code with src.
 */
import anyAscii from 'any-ascii';

/** Version 5 of folding. */
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

/** The rules of abbreviations; a test compares their spellings with the program's. */
const CONNECTORS = `
  vor der = v d *, ob der = o d *, an der = a d *, in der = i d *, am = a *, im = i *, aan den = a d, aan de = a d,
  nad = n *, pod = p *, upon = u, sur = s
`;
const COMMON = `
  st < saint sankt sint, st > saint sankt, ste < sainte, ste > sainte, ft < fort, ft > fort, mt < mount,
  mt > mount
`;
const WORDS = `
  pto > puerto porto, pto < puerto porto, pta > punta ponta, pta < punta ponta, sta > santa, sta < santa,
  sto > santo, sto < santo, gral > general, gral < general, gen < general, gdor > gobernador, gdor < gobernador,
  sv > sveti sveta, sv < sveti sveta, opf > oberpfalz, opf < oberpfalz, westf > westfalen, westf < westfalen,
  cdad < ciudad, cd < ciudad, vla < villa, nva < nueva, nvo < nuevo, gov < governador, cnel < coronel,
  cel < coronel, pres < presidente, pte < presidente, tte < teniente, cap < capitan, stgo < santiago,
  ntra < nuestra, sra < senora senhora, bs as < buenos aires, v n < vila nova,
  s < san santa santo sao saale sous south, o < oder, n < north, e < east, w < west, pt < point port,
  hts < heights, spgs < springs, bch < beach, jct < junction, twp < township, br < breisgau, ts < taunus,
  allg < allgau allgaeu, weinstr < weinstrasse, vogtl < vogtland, erzgeb < erzgebirge, holst < holstein,
  wlkp < wielkopolski wielkopolska wielkopolskie, maz < mazowiecki mazowiecka mazowieckie,
  sl < slaski slaska slaskie, podl < podlaski podlaska podlaskie,
  sw < swietokrzyski swietokrzyska swietokrzyskie, pom < pomorski pomorska pomorskie,
  kuj < kujawski kujawska kujawskie, lub < lubelski lubelska lubelskie lubuski lubuska lubuskie lubawskie,
  gd < gdanski gdanska gdanskie, kraj < krajenski krajenska krajenskie, op < opolski opolska opolskie,
  tryb < trybunalski, gorn < gornicza, kam < kamienna, dln < dolny dolna dolne, tg < targu tirgu tanjung,
  kg < kampung, sg < sungai, bt < bukit, bdr < bandar, nr < norre noerre, sdr < sonder soender, kgs < kongens
`;

const listOf = (text: string): string[] => text.split(',').map((part) => part.trim().replace(/\s+/g, ' '));
/** What a rule replaces first, and what it makes of a spelling. */
type Rule = readonly [firstWord: string, rewrite: (spelling: string) => string];
const RULES: readonly Rule[] = [
  ...wordRules(COMMON),
  ...listOf(CONNECTORS).flatMap((part): Rule[] => {
    const [connector, short, mark] = part.split(/ = | (?=\*)/) as [string, string, string?];
    const ends = [(last: string) => `${short} ${last}`, (last: string) => last];
    if (mark === '*') ends.push((last) => `${short} ${last[0]}`);
    if (mark === '*' && short.includes(' ')) ends.push((last) => short.replace(' ', '') + last[0]);
    return ends.map((end) => [
      connector.split(' ')[0] as string,
      (spelling) => {
        const at = spelling.lastIndexOf(' ');
        const [head, last] = [spelling.slice(0, at), spelling.slice(at + 1)];
        if (!head.endsWith(` ${connector}`) || !/^[a-z]+$/.test(last)) return spelling;
        return `${head.slice(0, -connector.length - 1)} ${end(last)}`;
      },
    ]);
  }),
  ...wordRules(WORDS),
];

function wordRules(text: string): Rule[] {
  return listOf(text).flatMap((part): Rule[] => {
    const [short, sign, long] = part.split(/ ([<>]) /) as [string, string, string];
    return (short.includes(' ') ? [long] : long.split(' ')).map((text) => {
      const [from, to] = sign === '<' ? [text, short] : [short, text];
      const rewrite = (spelling: string) =>
        ` ${spelling} `.replaceAll(' ', '  ').replaceAll(` ${from.replaceAll(' ', '  ')} `, ` ${to} `);
      return [from.split(' ')[0] as string, (spelling) => rewrite(spelling).trim().replace(/ +/g, ' ')];
    });
  });
}

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
  spellings.delete('');
  if (words.length > 1 && RULES.some(([word]) => words.includes(word))) {
    for (const [, rewrite] of RULES) {
      for (const spelling of [...spellings].slice(0, 8)) if (spellings.size < 32) spellings.add(rewrite(spelling));
    }
  }
  return [...spellings];
}

/** Each word d, l, o or s with the next word, where that starts with two letters. */
function joinElided(words: readonly string[]): string[] {
  const [word, next, ...rest] = words;
  if (word === undefined) return [];
  const isElided = /^[dlos]$/.test(word) && next !== undefined && /^[a-z]{2}/.test(next);
  return isElided ? [word + next, ...joinElided(rest)] : [word, ...joinElided(words.slice(1))];
}
