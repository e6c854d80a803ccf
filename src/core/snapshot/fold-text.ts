/**
 * Folding: the normal form of text in the search index. Every script is transliterated to Latin letters, case and
 * accents are removed, apostrophes are dropped, and all other punctuation, signs and emoji separate words. Builder and
 * server both call foldText. The manifest holds its version, and the server refuses a snapshot of another version,
 * because its names could not be found.
 *
 *   "St. Gallen" → "st gallen"     "Майкоп" → "maykop"     "O’Fallon" → "ofallon"     "Łódź" → "lodz"
 *
 * The result holds only a-z, 0-9 and single spaces between words, so one byte is one character. People also write
 * "Muenchen", "o fallon", "Saint Gall" for "St. Gall" and either half of "Alacant/Alicante" first: the builder indexes
 * these spellings in addition to the folded name (listSpellings). The query "Århus" may mean the name "Aarhus", so
 * foldQuery returns both forms.
 *
 * Why not FlexSearch's Encoder: it removes only the accents that Unicode decomposes ("Łódź" becomes "łodz", "Straße"
 * and "Ærø" stay), keeps scripts ("Майкоп", "서울") and merges doubled letters ("falon").
 */

import anyAscii from 'any-ascii';

export const FOLDING_VERSION = 5;

/** Text whose folded form is its lower case. Most names match. */
const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
/**
 * The characters that people type as an apostrophe. Letters that any-ascii turns into one, such as "ь", are not among
 * them.
 */
const WRITTEN_APOSTROPHES = /['`´‘’‛ʻʼ′＇]+/g;
/** Signs, emoji and punctuation beyond ASCII. any-ascii spells some of them out: "EUR", "tm", "beach_with_umbrella". */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{P}\p{Cf}\p{Extended_Pictographic}]/gu;
const LETTER_OR_DIGIT = /[a-z0-9]/i;
const SEPARATORS = /[^a-z0-9]+/g;

/** Letters that people replace by two letters when their keyboard lacks the letter. */
const LETTER_PAIRS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const PAIRED_LETTERS = /[äöüøå]/g;
/** "d Alene", "o Fallon": an elided word with a space in place of its apostrophe. */
const ELIDED_WORDS = /\b([dlos]) (?=[a-z]{2})/g;
const HAS_ELIDED_WORD = /\b[dlos] [a-z]{2}/;
/** "Paris 08", a district that is also written "Paris 8". */
const LEADING_ZEROS = /(?<= )0(?=[1-9](?: |$))/g;
const NO_SPELLINGS = { own: [], abbreviated: [] };

/** The folded form of `text`; empty if it has neither letters nor digits. */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  const ascii = anyAscii(text.normalize('NFC').replace(SIGNS, (sign) => (isSpelledOut(sign) ? ' ' : sign)));
  return ascii.toLowerCase().replace(APOSTROPHES, '').replace(SEPARATORS, ' ').trim();
}

/**
 * The folded forms of a query to look up, the most exact first: with each letter of LETTER_PAIRS written as two
 * letters, then as foldText folds it. One form if both are the same.
 */
export function foldQuery(text: string): string[] {
  const folded = foldText(text);
  if (PLAIN_ASCII.test(text)) return [folded];
  return [...new Set([foldText(writePairs(text)), folded])];
}

/**
 * A name without case and punctuation, but with its accents, which distinguish villages. Two names with the same key
 * count as the same name: leaves of one parent with the same key become one suggestion.
 */
export function sameNameKey(name: string): string {
  if (PLAIN_ASCII.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}]+/gu, ' ')
    .trim();
}

/** The distinct folded texts under which a name is indexed. */
export interface Spellings {
  /** Those that count as the name itself, first its folded form; none for a name without letters and digits. */
  readonly own: readonly string[];
  /** Those with abbreviations, which count as other names of the place. */
  readonly abbreviated: readonly string[];
}

/** All spellings of a name: first its folded form, then the other spellings in use. */
export function listSpellings(name: string): readonly string[] {
  const { own, abbreviated } = spellName(name);
  return abbreviated.length === 0 ? own : [...own, ...abbreviated];
}

export function spellName(name: string): Spellings {
  const folded = foldText(name);
  if (folded === '') return NO_SPELLINGS;
  const isPlain = PLAIN_ASCII.test(name);
  const isAbbreviated = mayBeAbbreviated(folded);
  const hasElidedWord = HAS_ELIDED_WORD.test(folded);
  // Most names have one spelling.
  if (isPlain && !isAbbreviated && !hasElidedWord && !folded.includes(' 0')) return { own: [folded], abbreviated: [] };
  const spellings = new Set([folded]);
  if (!isPlain) {
    spellings.add(foldText(writePairs(name)));
    const spaced = name.replace(WRITTEN_APOSTROPHES, ' ');
    if (spaced !== name) spellings.add(foldText(spaced));
    const parts = name.split('/');
    for (let first = 1; first < parts.length; first++) {
      spellings.add(foldText([...parts.slice(first), ...parts.slice(0, first)].join(' ')));
    }
  }
  if (hasElidedWord) spellings.add(folded.replace(ELIDED_WORDS, '$1'));
  if (folded.includes(' 0')) spellings.add(folded.replace(LEADING_ZEROS, ''));
  spellings.delete('');
  if (!isAbbreviated) return { own: [...spellings], abbreviated: [] };
  const ownCount = addAbbreviated(spellings);
  const all = [...spellings];
  return { own: all.slice(0, ownCount), abbreviated: all.slice(ownCount) };
}

/** `text` in lower case, with each letter of LETTER_PAIRS written as two letters. */
function writePairs(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(PAIRED_LETTERS, (letter) => LETTER_PAIRS[letter] as string);
}

/** Whether any-ascii turns a sign into letters or digits. */
function isSpelledOut(sign: string): boolean {
  return LETTER_OR_DIGIT.test(anyAscii(sign));
}

/*
 * Slugs: the segments of a place's path, made of a-z, 0-9 and single inner hyphens. slugOf is idempotent, so the path
 * of a web page and a path typed by hand ("/Île-de-France/Paris") lead to the same place. Slugs are truncated so that
 * the longest path of four slugs, with the suffixes that distinguish siblings, stays below MAX_PATH_LENGTH.
 */

/** Maximum length of a path in characters: no place has a longer one, and the API refuses longer ones. */
export const MAX_PATH_LENGTH = 1000;
/** Maximum length of the slug of a name, in characters. */
const MAX_SLUG_LENGTH = 180;
/** Maximum length of a suffix that distinguishes siblings with the same slug, in characters. */
const MAX_DISTINCTION_LENGTH = 40;
const ALREADY_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The slug of a name; empty if the name has neither letters nor digits. */
export function slugOf(name: string): string {
  if (name.length <= MAX_SLUG_LENGTH && ALREADY_SLUG.test(name)) return name;
  return cutSlug(foldText(name).replaceAll(' ', '-'), MAX_SLUG_LENGTH);
}

/**
 * The slug of a text that distinguishes a place from siblings with the same slug. Short, because it follows that slug.
 */
export function distinctionSlugOf(text: string): string {
  return cutSlug(slugOf(text), MAX_DISTINCTION_LENGTH);
}

function cutSlug(slug: string, length: number): string {
  return slug.length <= length ? slug : slug.slice(0, length).replace(/-$/, '');
}

/*
 * Abbreviations of words in folded names: "pto montt" for Puerto Montt, "frankfurt a m" for Frankfurt am Main. The
 * builder indexes a name under these spellings too (spellName in fold-text.ts): those of COMMON_WORDS as the name itself,
 * the rest as other names of the place, so that "sto" is Stockholm before Santo Domingo. A query stays as it was typed.
 *
 * Every rule of COMMON_WORDS, then of CONNECTORS, then of WORDS in turn applies to the first MAX_REWRITTEN spellings that there
 * are by then, so the spellings of a name with several such words combine: "Fort Saint John" is also "ft st john". A
 * name without such a word costs one look-up per word.
 */

/** The number of spellings to which each rule is applied: every combination of three words, which nobody exceeds. */
const MAX_REWRITTEN = 8;
/** Maximum number of spellings of one name with its abbreviations: names of places stay below it. */
export const MAX_SPELLINGS = 32;

/**
 * Words between a town's name and the river, the region or the town that tells it from its namesakes, their
 * abbreviation, and whether the last word is cut to its first letter too. "Frankfurt am Main" is also "frankfurt a
 * main", "frankfurt main" (Frankfurt/Main) and "frankfurt a m"; "Bad Homburg vor der Höhe" also "bad homburg vdh".
 */
const CONNECTORS: readonly (readonly [string, string, boolean])[] = [
  ['vor der', 'v d', true],
  ['ob der', 'o d', true],
  ['an der', 'a d', true],
  ['in der', 'i d', true],
  ['am', 'a', true],
  ['im', 'i', true],
  ['aan den', 'a d', false],
  ['aan de', 'a d', false],
  ['nad', 'n', true],
  ['pod', 'p', true],
  ['upon', 'u', false],
  ['sur', 's', false],
];

/**
 * The abbreviations that are as common as the word, so their starts count as starts of the name ("st lou" for Saint
 * Louis), in the form of WORDS.
 */
const COMMON_WORDS = `
  st < saint sankt sint
  st > saint sankt
  ste < sainte
  ste > sainte
  ft < fort
  ft > fort
  mt < mount
  mt > mount
`;

/**
 * Each line has an abbreviation and words. "<": each of the words is also written as the abbreviation. ">": the
 * abbreviation is also written as each of the words, where its meaning is certain. The order counts: puerto becomes
 * pto, but not porto by way of pto.
 */
const WORDS = `
  pto > puerto porto
  pto < puerto porto
  pta > punta ponta
  pta < punta ponta
  sta > santa
  sta < santa
  sto > santo
  sto < santo
  gral > general
  gral < general
  gen < general
  gdor > gobernador
  gdor < gobernador
  sv > sveti sveta
  sv < sveti sveta
  opf > oberpfalz
  opf < oberpfalz
  westf > westfalen
  westf < westfalen
  cdad < ciudad
  cd < ciudad
  vla < villa
  nva < nueva
  nvo < nuevo
  gov < governador
  cnel < coronel
  cel < coronel
  pres < presidente
  pte < presidente
  tte < teniente
  cap < capitan
  stgo < santiago
  ntra < nuestra
  sra < senora senhora
  bs as < buenos aires
  v n < vila nova
  s < san santa santo sao saale sous south
  o < oder
  n < north
  e < east
  w < west
  pt < point port
  hts < heights
  spgs < springs
  bch < beach
  jct < junction
  twp < township
  br < breisgau
  ts < taunus
  allg < allgau allgaeu
  weinstr < weinstrasse
  vogtl < vogtland
  erzgeb < erzgebirge
  holst < holstein
  wlkp < wielkopolski wielkopolska wielkopolskie
  maz < mazowiecki mazowiecka mazowieckie
  sl < slaski slaska slaskie
  podl < podlaski podlaska podlaskie
  sw < swietokrzyski swietokrzyska swietokrzyskie
  pom < pomorski pomorska pomorskie
  kuj < kujawski kujawska kujawskie
  lub < lubelski lubelska lubelskie lubuski lubuska lubuskie lubawskie
  gd < gdanski gdanska gdanskie
  kraj < krajenski krajenska krajenskie
  op < opolski opolska opolskie
  tryb < trybunalski
  gorn < gornicza
  kam < kamienna
  dln < dolny dolna dolne
  tg < targu tirgu tanjung
  kg < kampung
  sg < sungai
  bt < bukit
  bdr < bandar
  nr < norre noerre
  sdr < sonder soender
  kgs < kongens
`;

/** Replaces a text in spellings. */
interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
  /** The first word that the rule replaces. */
  readonly word: string;
}

const RULES: readonly Rule[] = [
  ...rulesOfLines(COMMON_WORDS),
  ...CONNECTORS.flatMap(([connector, abbreviation, hasInitial]) =>
    rulesOfConnector(connector, abbreviation, hasInitial),
  ),
  ...rulesOfLines(WORDS),
];
/** The number of RULES that are of COMMON_WORDS, the first of them. */
const COMMON_COUNT = rulesOfLines(COMMON_WORDS).length;
/** The numbers of the rules by the first word that they replace. */
const RULES_BY_WORD = new Map<string, number[]>();
RULES.forEach(({ word }, number) => {
  const numbers = RULES_BY_WORD.get(word);
  if (numbers === undefined) RULES_BY_WORD.set(word, [number]);
  else numbers.push(number);
});

/** Whether a folded text has a word of the rules, and others beside it: a word alone is a name of its own. */
export function mayBeAbbreviated(folded: string): boolean {
  return folded.includes(' ') && folded.split(' ').some((word) => RULES_BY_WORD.has(word));
}

/**
 * Adds the spellings with abbreviations to the spellings of a name, whose first is its folded form. Returns how many of
 * them, the first ones, count as the name itself: those without an abbreviation, or with one of COMMON_WORDS.
 */
export function addAbbreviated(spellings: Set<string>): number {
  let ownCount = spellings.size;
  for (const number of rulesFor(spellings)) {
    const { pattern, replacement } = RULES[number] as Rule;
    for (const spelling of [...spellings].slice(0, MAX_REWRITTEN)) {
      if (spellings.size < MAX_SPELLINGS) spellings.add(spelling.replace(pattern, replacement));
    }
    if (number < COMMON_COUNT) ownCount = spellings.size;
  }
  return ownCount;
}

/** The numbers of the rules for the words of some spellings, and for the words that these rules put there; ascending. */
function rulesFor(spellings: Iterable<string>): readonly number[] {
  let found: Set<number> | undefined;
  const words = [...spellings].flatMap((spelling) => spelling.split(' '));
  // The loop also reads the words that it adds.
  for (const word of words) {
    for (const number of RULES_BY_WORD.get(word) ?? []) {
      found ??= new Set();
      if (found.has(number)) continue;
      found.add(number);
      words.push(...(RULES[number] as Rule).replacement.split(' '));
    }
  }
  return found === undefined ? [] : [...found].sort((a, b) => a - b);
}

function rulesOfConnector(connector: string, abbreviation: string, hasInitial: boolean): Rule[] {
  const [word] = connector.split(' ') as [string];
  const pattern = new RegExp(`^(.+) ${connector} ([a-z])([a-z]*)$`);
  const replacements = [`$1 ${abbreviation} $2$3`, '$1 $2$3'];
  if (hasInitial) replacements.push(`$1 ${abbreviation} $2`);
  if (hasInitial && abbreviation.includes(' ')) replacements.push(`$1 ${abbreviation.replaceAll(' ', '')}$2`);
  return replacements.map((replacement) => ({ pattern, replacement, word }));
}

function rulesOfLines(lines: string): Rule[] {
  return lines.trim().split('\n').flatMap(rulesOfLine);
}

function rulesOfLine(line: string): Rule[] {
  const [abbreviation, direction, words] = line.trim().split(/ ([<>]) /) as [string, string, string];
  // An abbreviation of two words stands for one text of two words.
  const texts = abbreviation.includes(' ') ? [words] : words.split(' ');
  return texts.map((text) => {
    const [from, to] = direction === '<' ? [text, abbreviation] : [abbreviation, text];
    return { pattern: new RegExp(`\\b${from}\\b`, 'g'), replacement: to, word: from.split(' ')[0] as string };
  });
}
