/**
 * Converts names in capitals to the ordinary case of the country's languages: "VILLA DEL ROSARIO" → "Villa del
 * Rosario", "O'HIGGINS" → "O'Higgins", "IJSSELSTEIN" → "IJsselstein". Codes and abbreviations stay: "CEDEX", "FCGB",
 * "APO AE". Accents that were omitted on capitals are not restored.
 */

/*
 * The capitalisation rules of languages for names: words inside a name without a capital, and abbreviations that stay
 * in capitals. A country has the words of all its languages. The words come from the languages' orthographies
 * (prepositions and articles in names), and tests cover them; a language that is not here has no such words.
 */

export interface CaseRules {
  /** ISO 639-1 codes, at least one. The first is the locale for changing case: Turkish has an i without a dot. */
  readonly languages: readonly [string, ...string[]];
  /** Words without a capital inside a name: "Villa del Rosario". */
  readonly smallWords: ReadonlySet<string>;
  /** Articles without a capital after a small word: "Paso de los Libres", but "Colonia Los Pinos". */
  readonly articles: ReadonlySet<string>;
  /** Of these, the articles that merge with prepositions (del, al): behind "de" they begin a name, as in "de El Escorial". */
  readonly mergingArticles: ReadonlySet<string>;
  /** Elided words before an apostrophe, without a capital inside a name: "Villeneuve-d'Ascq". */
  readonly elisions: ReadonlySet<string>;
  /** Codes and abbreviations that stay in capitals. */
  readonly codes: ReadonlySet<string>;
  /** Whether r and l can be the vowel of a word: "Krk", "Vlk". */
  readonly hasSyllabicConsonants: boolean;
}

interface Language {
  readonly countries: string;
  readonly small: string;
  readonly articles?: string;
  readonly mergingArticles?: string;
  readonly elisions?: string;
  /** Words with a capital though another language of the country has them small: the articles of A Coruña, O Grove. */
  readonly capitals?: string;
  readonly hasSyllabicConsonants?: true;
}

/** The languages by code. The first of a country's languages in this table is its locale for changing case. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  az: { countries: 'AZ', small: 'və' },
  be: { countries: 'BY', small: 'на пад і у над пры' },
  bg: { countries: 'BG', small: 'на и до при под над', hasSyllabicConsonants: true },
  ca: {
    countries: 'ES AD',
    small: 'de del dels i en a al als amb',
    articles: 'la les el els l',
    mergingArticles: 'el els',
    elisions: 'd l',
  },
  cs: { countries: 'CZ', small: 'nad pod na u v ve při a s se za', hasSyllabicConsonants: true },
  da: { countries: 'DK GL', small: 'og i på ved' },
  de: {
    countries: 'AT DE LI CH LU',
    small: 'am an auf im in bei beim ob vor zu zum zur und unter über von vom der die das dem den des',
  },
  el: { countries: 'CY GR', small: 'και του της των' },
  en: {
    countries: 'MT PR PH AU BM CA GB GG IE IM IN JE NG NZ SG US VI ZA',
    small: 'of the and on in upon by at under near with next cum sub',
    elisions: 'd',
  },
  es: {
    countries: 'ES AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV UY VE PH',
    small: 'de del y e al a con en',
    articles: 'la los las',
  },
  fr: {
    countries: 'CH LU BE FR MC GP MQ GF RE YT PM BL MF NC PF WF HT DZ MA TN SN CA GG JE',
    small: 'de du des la le les à au aux en et sur sous lès lez près par',
    elisions: 'd l',
  },
  ga: { countries: 'IE', small: 'na an' },
  gl: { countries: 'ES', small: 'de da do das dos e', capitals: 'a o' },
  hr: { countries: 'BA HR', small: 'na pod u kod i pri kraj nad', hasSyllabicConsonants: true },
  it: {
    countries: 'CH IT SM VA MT',
    small: 'di del della dello dei degli delle da dal dalla in nel nella a al alla allo e sul sulla con su per',
    elisions: 'd de ne dell nell dall all sull',
  },
  mk: { countries: 'MK', small: 'на и до при под над', hasSyllabicConsonants: true },
  nb: { countries: 'NO SJ', small: 'og i på ved' },
  nl: { countries: 'BE NL SR', small: 'aan de den der het op in bij onder over te ter ten en van s t' },
  pl: { countries: 'PL', small: 'nad pod w we i k koło na przy' },
  pt: { countries: 'PT BR AO MZ CV', small: 'de da do das dos e em na no nas nos a o à ao', elisions: 'd' },
  ro: { countries: 'RO MD', small: 'de la cel cea din pe lui sub cu' },
  ru: { countries: 'BY RU KZ KG', small: 'на под над у и в при без им имени к' },
  sk: { countries: 'SK', small: 'nad pod na pri v a za', hasSyllabicConsonants: true },
  sl: { countries: 'SI', small: 'ob pri na v pod nad', hasSyllabicConsonants: true },
  sr: { countries: 'BA ME RS', small: 'na pod u kod i pri на под у код и при', hasSyllabicConsonants: true },
  sv: { countries: 'SE FI AX', small: 'och i på vid' },
  tr: { countries: 'TR', small: 've ile' },
  uk: { countries: 'UA', small: 'на під над у і в та при' },
};

/** Codes of posts and armies, and Roman numerals of kings, popes and centuries, in all countries. */
const CODES = [
  ...'CEDEX APO FPO DPO PO GPO SPO EMS AE AA AP BP CS'.split(' '),
  ...'II III IV VI VII VIII IX XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII XXIII XXV'.split(' '),
];
/** Codes in one country: railways in AR, states and a compass point in AU, federal districts in BR and MX. */
const COUNTRY_CODES: Readonly<Record<string, string>> = {
  AR: 'FCGU',
  AU: 'ACT NSW NT QLD SA SE TAS VIC WA',
  BR: 'DF',
  MX: 'DF CDMX',
};

export function caseRulesOf(countryCode: string): CaseRules {
  const spoken = Object.entries(LANGUAGES).filter(([, { countries }]) => countries.split(' ').includes(countryCode));
  const [first = 'en', ...others] = spoken.map(([code]) => code);
  const wordsOf = (key: 'small' | 'articles' | 'mergingArticles' | 'elisions' | 'capitals'): ReadonlySet<string> =>
    new Set(spoken.flatMap(([, language]) => language[key]?.split(' ') ?? []));
  const capitals = wordsOf('capitals');
  return {
    languages: [first, ...others],
    smallWords: new Set([...wordsOf('small')].filter((word) => !capitals.has(word))),
    articles: wordsOf('articles'),
    mergingArticles: wordsOf('mergingArticles'),
    elisions: wordsOf('elisions'),
    codes: new Set([...CODES, ...(COUNTRY_CODES[countryCode] ?? '').split(' ')]),
    hasSyllabicConsonants: spoken.some(([, language]) => language.hasSyllabicConsonants === true),
  };
}

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
