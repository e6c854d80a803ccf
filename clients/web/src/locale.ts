/** The locale of a language tag; English for what is no tag, such as the `en-US@posix` of some browsers. */

export function localeOf(tag: string): Intl.Locale {
  try {
    // Many servers write `de_AT`.
    return new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return new Intl.Locale('en');
  }
}
