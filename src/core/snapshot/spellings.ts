/**
 * The spellings of a name under which the builder indexes it: its folded form (fold-text.ts), the other ways to write its
 * letters and its parts, and abbreviations of its words. A query is folded and stays as it was typed.
 */

import { foldLetterPairs, foldText, PLAIN_ASCII } from './fold-text.js';

/**
 * The characters that people type as an apostrophe. Letters that any-ascii turns into one, such as "ь", are not among
 * them.
 */
const WRITTEN_APOSTROPHES = /['`´‘’‛ʻʼ′＇]+/g;
/** "d Alene", "o Fallon": an elided word with a space in place of its apostrophe. */
const ELIDED_WORDS = /\b([dlos]) (?=[a-z]{2})/g;
const HAS_ELIDED_WORD = /\b[dlos] [a-z]{2}/;

/** "Paris 08", a district that is also written "Paris 8". */
const LEADING_ZEROS = /(?<= )0(?=[1-9](?: |$))/g;
const NO_SPELLINGS = { own: [], abbreviated: [] };

/** The distinct folded texts under which a name is indexed. */
export interface Spellings {
  /** Spellings that count as the name itself, first its folded form; none for a name without letters and digits. */
  readonly own: readonly string[];
  /** Spellings with abbreviations, which count as other names of the place. */
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
  const isAbbreviated = mayHaveAbbreviatedSpelling(folded);
  const hasElidedWord = HAS_ELIDED_WORD.test(folded);
  // Most names have one spelling.
  if (isPlain && !isAbbreviated && !hasElidedWord && !folded.includes(' 0')) return { own: [folded], abbreviated: [] };
  const spellings = new Set([folded]);
  if (!isPlain) {
    spellings.add(foldText(foldLetterPairs(name)));
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
  const ownCount = addAbbreviatedSpellings(spellings);
  const all = [...spellings];
  return { own: all.slice(0, ownCount), abbreviated: all.slice(ownCount) };
}

/*
 * Abbreviations of words in folded names: "pto montt" for Puerto Montt, "frankfurt a m" for Frankfurt am Main. The
 * builder indexes a name under these spellings too: those of COMMON_WORDS as the name itself,
 * the rest as other names of the place, so that "sto" is Stockholm before Santo Domingo. A query stays as it was typed.
 *
 * Every rule of COMMON_WORDS, then of CONNECTORS, then of WORDS in turn applies to the first MAX_REWRITTEN spellings that there
 * are by then, so the spellings of a name with several such words combine: "Fort Saint John" is also "ft st john". A
 * name without such a word costs one look-up per word.
 */

/** The number of spellings to which each rule is applied: every combination of three words, which nobody exceeds. */
const MAX_REWRITTEN = 8;
/** Maximum number of spellings of one name with its abbreviations: names of places stay below it. */
const MAX_SPELLINGS = 32;

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
export function mayHaveAbbreviatedSpelling(folded: string): boolean {
  return folded.includes(' ') && folded.split(' ').some((word) => RULES_BY_WORD.has(word));
}

/**
 * Adds the spellings with abbreviations to the spellings of a name, whose first is its folded form. Returns how many of
 * them, the first ones, count as the name itself: those without an abbreviation, or with one of COMMON_WORDS.
 */
export function addAbbreviatedSpellings(spellings: Set<string>): number {
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
