/**
 * The language of local names, for screen readers and for fonts, which draw one character otherwise in Japanese than in
 * Chinese: where a country's names are in a script of their own, the language that is written in it there.
 */

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ AM: 'hy', BD: 'bn', BG: 'bg', BY: 'be', CN: 'zh-Hans', CY: 'el', DZ: 'ar', EG: 'ar', GE: 'ka', GR: 'el' },
  ...{ HK: 'zh-Hant', IL: 'he', IQ: 'ar', IR: 'fa', JO: 'ar', JP: 'ja', KR: 'ko', KW: 'ar', KZ: 'kk', LA: 'lo' },
  ...{ LB: 'ar', MA: 'ar', MK: 'mk', MN: 'mn', MO: 'zh-Hant', OM: 'ar', PK: 'ur', RS: 'sr', RU: 'ru', SA: 'ar' },
  ...{ TH: 'th', TW: 'zh-Hant', UA: 'uk' },
};

const OTHER_THAN_LATIN = /(?!\p{Script=Latin})\p{L}/u;

/** Undefined where the name is in Latin letters, or the language is not known. */
export function languageOf(name: string, countryCode: string): string | undefined {
  return OTHER_THAN_LATIN.test(name) ? LANGUAGES[countryCode] : undefined;
}
