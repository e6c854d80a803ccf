/**
 * Converts names in capitals to the ordinary case of the country's languages: "VILLA DEL ROSARIO" → "Villa del
 * Rosario", "O'HIGGINS" → "O'Higgins", "IJSSELSTEIN" → "IJsselstein". Codes and abbreviations stay: "CEDEX", "FCGB",
 * "APO AE". Accents that were omitted on capitals are not restored.
 */
import type { CaseRules } from './case-rules.js';

/** A run of letters with case and their marks, except º and ª. */
const RUN = /(?:(?![ºª])[\p{Lu}\p{Ll}\p{Lt}])(?:(?![ºª])[\p{Lu}\p{Ll}\p{Lt}\p{M}])*/gu;
/** Numbering such as "No.1" and "2a.", which may be in lower case beside words in capitals. */
const NUMBERING = /\bN[o°º]\b|\d[ao]\b/g;
const TWO_SMALL_LETTERS = /[a-zß-öø-ÿа-я]{2}/;
const LOWER = /(?![ºª])\p{Ll}/u;
const UPPER = /\p{Lu}/u;
const VOWEL = /[aeiouyæøœəı]/;
const VOWEL_OR_LIQUID = /[aeiouyæøœəırl]/;
const LATIN_ONLY = /^[\p{Script=Latin}\p{M}]+$/u;
/** Abbreviations without a vowel that are written like words. */
const SHORTENED = new Set(['km', 'dr', 'sr', 'jr', 'st', 'mt', 'mc', 'ft', 'cnr', 'nr']);
const COMPANY_FORMS: ReadonlyMap<string, string> = new Map([
  ['gmbh', 'GmbH'],
  ['kg', 'KG'],
]);
const ORDINAL = /^(?:ST|ND|RD|TH|RA|RO|DA|DO|TA|TO|MA|MO|ER)$/;
/** Words before an apostrophe after which the next word has a capital: "O'Brien", "L'Aquila", "Sant'Angelo". */
const JOINED = /^(?:[DLOMN]|ALL|DALL|DELL|NELL|SULL|COLL|SANT|QU)$/;
const APOSTROPHE = /['’ʼ`´‘]/;
const DIGIT_AND_HYPHEN = /\d-$/;
const WORD_FOLLOWS = /^[\s.-]+\p{L}/u;
const WORD_OR_NUMBER_FOLLOWS = /^[\s.-]+[\p{L}\d]/u;
/** Spanish regions and islands whose article has a capital wherever it stands: "San Sebastián de La Gomera". */
const OWN_ARTICLE = /^La (?:Rioja|Mancha|Gomera|Coru[ñn]a)(?!\p{L})/u;
/** Catalan words that never merge with an article: "Santa Margarida i els Monjos". */
const UNMERGING = /^(?:i|amb)$/;
/** Text after which a word counts as the first of a name. */
const BEGINNING = /(?:^|[([{/:;"“„«]\s*|\s[-–—]\s+)$/;

export function isInCapitals(text: string): boolean {
  // A quick test that rules out most names.
  if (TWO_SMALL_LETTERS.test(text) || !UPPER.test(text)) return false;
  return !LOWER.test(text) || !LOWER.test(text.replace(NUMBERING, ''));
}

/** The length of the longest run of letters: short names may be codes. */
export function longestRun(text: string): number {
  return Math.max(0, ...(text.match(RUN) ?? []).map((run) => run.length));
}

/**
 * `text`, which is in capitals, in ordinary case. Runs of letters shorter than `minLength` stay, unless small words.
 */
export function inOrdinaryCase(text: string, rules: CaseRules, minLength = 1): string {
  let isBehindSmallWord = false;
  return text.replace(RUN, (run, at: number) => {
    const before = text.slice(0, at);
    const behind = text.slice(at + run.length);
    const context = { before, behind, isBehindSmallWord };
    const written = writeRun(run, context, rules, minLength);
    isBehindSmallWord = written === run.toLocaleLowerCase(rules.languages[0]) && rules.smallWords.has(written);
    return written;
  });
}

/**
 * `text`, which has a capital for each word, with small words inside it in small letters: "Ростов-На-Дону" →
 * "Ростов-на-Дону", "Совхоз Им. 50-Летия Октября" → "Совхоз им. 50-летия Октября", "Jerez De La Frontera" → "Jerez de la
 * Frontera", "Sant'Agata De' Goti" → "Sant'Agata de' Goti".
 */
export function lowerSmallWords(text: string, rules: CaseRules): string {
  let smallWord = '';
  return text.replace(RUN, (run, at: number) => {
    const previous = smallWord;
    smallWord = '';
    const lower = run.toLocaleLowerCase(rules.languages[0]);
    const [before, behind] = [text.slice(0, at), text.slice(at + run.length)];
    if (DIGIT_AND_HYPHEN.test(before) && !LATIN_ONLY.test(run)) return lower;
    const isArticle = rules.articles.has(lower) && !OWN_ARTICLE.test(run + behind);
    if (isArticle && previous !== '' && !(rules.mergingArticles.has(lower) && !UNMERGING.test(previous))) return lower;
    if (APOSTROPHE.test(behind.charAt(0))) {
      return rules.elisions.has(lower) && !rules.articles.has(lower) && !BEGINNING.test(before) ? lower : run;
    }
    if (!rules.smallWords.has(lower) || !isInside(run, before, behind)) return run;
    // "Encinar I y II", "Sector A de la Playa": a number or a letter.
    if (run.length === 1 && rules.smallWords.has(nextWord(behind, rules))) return run;
    smallWord = lower;
    return lower;
  });
}

function nextWord(behind: string, rules: CaseRules): string {
  return /^[\s.-]+([\p{L}\p{M}]+)/u.exec(behind)?.[1]?.toLocaleLowerCase(rules.languages[0]) ?? '';
}

interface RunContext {
  readonly before: string;
  readonly behind: string;
  readonly isBehindSmallWord: boolean;
}

function writeRun(run: string, context: RunContext, rules: CaseRules, minLength: number): string {
  const { before, behind } = context;
  if (LOWER.test(run)) return run;
  const lower = run.toLocaleLowerCase(rules.languages[0]);
  const isSmallWord = rules.smallWords.has(lower);
  if (/\d$/.test(before)) return ORDINAL.test(run) ? lower : run.length <= 3 ? run : capitalise(run, rules);
  // "50-ЛЕТИЯ ОКТЯБРЯ"
  if (DIGIT_AND_HYPHEN.test(before) && !LATIN_ONLY.test(run)) return lower;
  if (APOSTROPHE.test(before.slice(-1))) return writeBehindApostrophe(run, context, rules);
  if (APOSTROPHE.test(behind.charAt(0)) && rules.elisions.has(lower) && !BEGINNING.test(before)) return lower;
  const companyForm = COMPANY_FORMS.get(lower);
  if (companyForm !== undefined) return companyForm;
  if (rules.codes.has(run)) return run;
  const isArticle = context.isBehindSmallWord && rules.articles.has(lower);
  if ((isSmallWord || isArticle) && isInside(run, before, behind)) return lower;
  if ((run.length < minLength && !isSmallWord) || isAbbreviation(run, behind, rules)) return run;
  return capitalise(run, rules);
}

/** Whether a run is inside a name. "JOSE A. GUISASOLA" has an initial, "ESCALERA A" and "SECTOR A 1" have letters. */
function isInside(run: string, before: string, behind: string): boolean {
  if (BEGINNING.test(before)) return false;
  if (run.length > 1) return WORD_OR_NUMBER_FOLLOWS.test(behind);
  return WORD_FOLLOWS.test(behind) && !behind.startsWith('.');
}

function writeBehindApostrophe(run: string, { before }: RunContext, rules: CaseRules): string {
  const previous = /([\p{Lu}\p{Ll}\p{Lt}\p{M}]+).$/u.exec(before)?.[1];
  // "'s-Gravenhage", "'t Harde": the article has lost its start.
  if (previous === undefined) {
    return rules.smallWords.has(run.toLowerCase()) ? run.toLowerCase() : capitalise(run, rules);
  }
  return JOINED.test(previous) && LATIN_ONLY.test(run) && run.length > 1
    ? capitalise(run, rules)
    : run.toLocaleLowerCase(rules.languages[0]);
}

/** Whether nobody could speak it as a word: "FCGB", "NSW"; but "DR." and "CNEL." are words written short. */
function isAbbreviation(run: string, behind: string, rules: CaseRules): boolean {
  if (run.length < 2 || !LATIN_ONLY.test(run)) return false;
  const plain = run.normalize('NFD').toLowerCase();
  if (SHORTENED.has(plain) || (behind.startsWith('.') && !/^FC|^FF/.test(run))) return false;
  return !(rules.hasSyllabicConsonants ? VOWEL_OR_LIQUID : VOWEL).test(plain);
}

/** A capital and small letters, with two letters of Dutch and the sons of the Gaels. */
function capitalise(run: string, rules: CaseRules): string {
  const rest = run.slice(1).toLocaleLowerCase(rules.languages[0]);
  if (rules.languages.includes('nl') && run.startsWith('IJ')) return `IJ${rest.slice(1)}`;
  if (rules.languages.includes('en') && /^MC[A-Z]{3}/.test(run)) return `Mc${run.charAt(2)}${rest.slice(2)}`;
  return run.charAt(0) + rest;
}
