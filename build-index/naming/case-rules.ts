/**
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
