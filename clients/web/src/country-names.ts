/** The names of countries in the language of a form. */

/** In English if the browser does not know the language. */
export function countryNames(language: string): Intl.DisplayNames {
  return new Intl.DisplayNames([language, 'en'], { type: 'region' });
}
