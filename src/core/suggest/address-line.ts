/**
 * The parser of address lines: splits what a person typed or pasted into words, and finds the words that may be a
 * postal code. Names, units and the country are the remaining words; the searches rate these by the data.
 *
 *   "CH-8001 Zürich"          code CH-8001; rest "zurich"
 *   "São Paulo - SP 01310"    code 01310; rest "sao paulo sp"
 *   "75380 Paris CEDEX 08"    code 75380; rest "paris"
 *   "SW1A 1AA, London"        codes SW1A 1AA, SW1A and 1AA; rest of the first "london"
 *
 * A code consists of one to three whole words as they are separated by spaces and commas, at any position. Post boxes
 * and labels ("BP 12", "PO Box 7", "ZIP", "CEDEX 08", "〒") are left out, unless nothing else was typed.
 */

import { foldQuery, foldText } from '../snapshot/fold-text.js';
import { plainPostcode } from '../snapshot/postcode-spelling.js';
import { formOf } from './code-form.js';

/** Maximum number of words that are read of a line with a code. The last words of a long address are its last line. */
const MAX_LINE_WORDS = 10;
/** Maximum number of texts of a line that are looked up as codes: each is looked up in every country. */
const MAX_CODES = 5;
/** Maximum number of tokens of a code: a country's sign and two groups, such as "GB SW1A 1AA". */
const MAX_CODE_TOKENS = 3;
/** Maximum length of a code with its country in letters and digits: "75380CEDEX08", "BR01310100". */
const MAX_CODE_LENGTH = 12;
/** Maximum length of a token without a digit in a code of several tokens, in letters: "VLT 1117", "EST 10111". */
const MAX_LETTERS = 3;
const HAS_DIGIT = /\d/;
/** Text with a digit of any script, or with a word of POST_BOXES that needs none. */
const NEEDS_PARSING = /\p{N}|cedex|box|postfach/iu;
/** Five letters in a row, which no code has. */
const LONG_WORD = /[a-z]{5}/;

/** Between the parts of a line: commas, bars, brackets, and a dash between spaces. */
export const PART_SEPARATORS = /[,;|()、，\r\n]+|\s[-–—]\s/;

/** The postal mark of Japan; commas and spaces of any script. */
const SEPARATORS = /[\s,;()、，〒〶]+/;
const COMMAS = /[,;、，]+/;
/** The number of a district as an ordinal, in French: "Paris 8e", "Lyon 1er". */
const ORDINAL = /^(?:(1)(?:er|re|ere|ère)|(\d{1,2})(?:e|eme|ème))$/i;

/** Where a name and a number are written together: "Berlin-10115", "Lyon09", "東京100-0001", "75008Paris". */
const JOINTS =
  /(?<=\p{L}{4})[-–]?(?=\d)|(?<=\d{3})[-–]?(?=\p{L}{4})|(?<=[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}\p{Script=Kana}])(?=\d)|(?<=\d)(?=[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}\p{Script=Kana}])/gu;

/** Post boxes, offices for large customers and labels, as they are folded. */
const POST_BOXES =
  /(?:^| )(?:cedex(?: \d{1,2})?|(?:bp|cs|tsa|p ?o ?box|po ?b|gpo box|postfach|postbus|postboks|apartado(?: (?:de correos|postal|aereo))?|apdo(?: correos)?|casilla(?: de correo)?|caixa postal|boite postale|skr poczt|skrytka pocztowa|casella postale) \d{1,6}|(?:p ?o ?box|postfach))(?= |$)/g;
const LABELS =
  /(?:^| )(?:(?:zip(?: ?code)?|plz|post ?code|postal code|code postal|codigo postal|cep|pin(?: ?code)?|cap|psc|c ?p)(?= [a-z]?\d)|(?<=(?:^| )\d{1,2} )arrondissement(?= |$)|arrondissement(?= \d{1,2}(?: |$)))/g;

/** The words for units behind their names in Chinese lines, and the last unit of a line. */
const HAN_UNITS = /(?<=\p{Script=Han}{2})(?:特别行政区|(?:壮族|回族|维吾尔)?自治区|自治[州县]|[省市区县區縣])/gu;
const LAST_HAN = /\p{Script=Han}+(?=\P{Script=Han}*$)/u;

/** Words of a line that may be a code. */
export interface CodeText {
  /** In upper case, its words separated by single spaces. */
  readonly code: string;
  /** With the separators that were typed, in normal form. */
  readonly typed: string;
  /** The form (formOf) of `typed`. */
  readonly form: string;
  /** The other words of the line, folded. */
  readonly rest: readonly string[];
  /** The other words, folded as a query: see foldQuery. Empty without other words. */
  readonly foldings: readonly string[];
  /** Whether the code is the end of the line, so that it may be typed half. */
  readonly isLast: boolean;
}

interface Token {
  readonly raw: string;
  /** Whether `raw` is the text that was typed. */
  readonly isTyped: boolean;
  readonly words: readonly string[];
  /** Whether it is the first of its part of the line: a code does not go on behind a comma. */
  readonly isFirst: boolean;
}

/** Tokens that may be a code. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly code: string;
}

export interface AddressLine {
  /** The whole line, folded as a query, without post boxes and labels. */
  readonly foldings: readonly string[];
  /** The texts that may be a code, the likeliest first. */
  readonly codes: readonly CodeText[];
}

export interface LineWithCode extends AddressLine {
  readonly codes: readonly [CodeText, ...CodeText[]];
}

export function hasCode(line: AddressLine): line is LineWithCode {
  return line.codes.length > 0;
}

/** Parses a line. Its foldings are empty texts if it has neither a letter nor a digit. */
export function parseAddressLine(line: string): AddressLine {
  // Most queries are names.
  if (!NEEDS_PARSING.test(line)) return { foldings: foldQuery(line), codes: [] };
  const separated = line.replace(JOINTS, ' ');
  const tokens = listTokens(separated);
  const kept = withoutPostBoxes(tokens);
  const foldings = kept === tokens && tokens.every(({ isTyped }) => isTyped) ? foldQuery(separated) : foldTokens(kept);
  const last = kept.slice(-MAX_LINE_WORDS);
  return { foldings, codes: foldings.some((folded) => HAS_DIGIT.test(folded)) ? listCodes(last) : [] };
}

/** The readings of a line of Chinese units without spaces: "广东 深圳" for "广东省深圳市", then without the last unit. */
export function* listUnitLines(line: string): Generator<string> {
  const units = line.trim().replace(HAN_UNITS, ' ');
  if (units === line.trim()) return;
  for (let left = units; LAST_HAN.test(left); left = left.replace(LAST_HAN, '')) yield left;
}

function listTokens(line: string): readonly Token[] {
  return line.split(COMMAS).flatMap((part) => {
    const tokens = part.split(SEPARATORS).map((typed, at, all) => {
      // Behind a word with a digit it is the second half of a code: "SE1 1ER".
      const raw = HAS_DIGIT.test(all[at - 1] ?? '') ? typed : typed.replace(ORDINAL, '$1$2');
      return { raw, isTyped: raw === typed, words: foldText(raw).split(' ') };
    });
    return tokens.filter(({ words }) => words[0] !== '').map((token, at) => ({ ...token, isFirst: at === 0 }));
  });
}

/** The tokens without those of post boxes and labels; `tokens` itself if there are none, or nothing else. */
function withoutPostBoxes(tokens: readonly Token[]): readonly Token[] {
  const folded = tokens.map(({ words }) => words.join(' ')).join(' ');
  const marked = folded.replace(POST_BOXES, markLetters).replace(LABELS, markLetters);
  if (marked === folded) return tokens;
  let at = 0;
  const kept = tokens.filter(({ words }) => {
    const { length } = words.join(' ');
    const isMarked = marked[at] === MARK;
    at += length + 1;
    return !isMarked;
  });
  return kept.length === 0 ? tokens : kept;
}

const MARK = '#';

/** Replaces the letters of a post box in a folded line; lengths stay. */
function markLetters(text: string): string {
  return text.replace(/[^ ]/g, MARK);
}

function foldTokens(tokens: readonly Token[]): readonly string[] {
  return tokens.length === 0 ? [] : foldQuery(tokens.map(({ raw }) => raw).join(' '));
}

function listCodes(tokens: readonly Token[]): CodeText[] {
  const spans: Span[] = [];
  for (let count = Math.min(MAX_CODE_TOKENS, tokens.length); count > 0; count--) {
    for (let start = 0; start + count <= tokens.length; start++) {
      const span = tokens.slice(start, start + count);
      if (mayBeCode(span)) spans.push({ start, end: start + count, code: codeOf(span) });
    }
  }
  // More digits are likelier than a house number or a district; words of letters are likelier to be part of a name.
  const digits = ({ code }: Span): number => code.replace(/\D/g, '').length;
  const letters = ({ code }: Span): number => code.split(' ').filter((word) => !HAS_DIGIT.test(word)).length;
  return spans
    .sort((a, b) => digits(b) - digits(a) || letters(a) - letters(b) || b.end - b.start - (a.end - a.start))
    .slice(0, MAX_CODES)
    .map(({ start, end, code }) => {
      const others = [...tokens.slice(0, start), ...tokens.slice(end)];
      const raw = tokens.slice(start, end).map((token) => token.raw);
      const typed = plainPostcode(raw.join(' '));
      return {
        code,
        typed,
        form: formOf(typed),
        rest: others.flatMap(({ words }) => words),
        get foldings() {
          return foldTokens(others);
        },
        isLast: end === tokens.length,
      };
    });
}

function codeOf(span: readonly Token[]): string {
  return span
    .flatMap(({ words }) => words)
    .join(' ')
    .toUpperCase();
}

/** Whether tokens have the form of a code: short, with a digit, and each token but one at the start with few letters. */
function mayBeCode(span: readonly Token[]): boolean {
  if (span.some(({ isFirst }, at) => at > 0 && isFirst)) return false;
  const texts = span.map(({ words }) => words.join(''));
  const whole = texts.join('');
  if (!HAS_DIGIT.test(whole) || whole.length > MAX_CODE_LENGTH || LONG_WORD.test(whole)) return false;
  return span.length === 1 || texts.every((text) => HAS_DIGIT.test(text) || text.length <= MAX_LETTERS);
}
