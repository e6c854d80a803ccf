/**
 * Language tags (BCP 47): from the tag of a request to the tags of the data. It is the lookup of RFC 4647, 3.4, which
 * shortens a tag until the data have it. Besides, a tag of the data with another region and the same script stands for a
 * shorter tag: for "zh-TW" the data may have "zh-Hant" or "zh-HK", which are traditional Chinese too.
 */

/** Language, script and region; what comes behind them, variants and extensions, tells nothing of a place's name. */
const TAG = /^([a-z]{2,3})(?:-[a-z]{3}){0,3}(-[a-z]{4})?(-(?:[a-z]{2}|\d{3}))?(?:-|$)/i;

/** Languages whose readers read the others: Norwegian, of which data have the language or one of its two forms. */
const RELATED: Readonly<Record<string, readonly string[]>> = { nb: ['no'], nn: ['no', 'nb'], no: ['nb', 'nn'] };

/** The tag in its usual form, with the codes of today: "zh-TW" of "ZH-tw", "he" of "iw". Undefined if it has more subtags. */
export function normalizeTag(tag: string): string | undefined {
  const [whole] = TAG.exec(tag) ?? [];
  return whole === undefined || whole.length < tag.length ? undefined : new Intl.Locale(whole).toString();
}

/** Whether a text is such a tag, in its usual form. */
export function isTag(text: string): boolean {
  return normalizeTag(text) === text;
}

/** The script that a tag names or, without one, that its language is written in; undefined if nobody knows. */
export function scriptOfLanguageTag(tag: string): string | undefined {
  return new Intl.Locale(tag).maximize().script;
}

/** The tags among `known` that stand for a tag, the best first. */
export function listStandInLanguages(tag: string, known: readonly string[]): string[] {
  const [, primary, script = '', region = ''] = TAG.exec(tag) ?? [];
  if (primary === undefined) return [];
  const asked = new Intl.Locale(primary + script + region);
  const [askedTag, wanted] = [asked.toString(), scriptOfLanguageTag(asked.toString())];
  return [asked.language, ...(RELATED[asked.language] ?? [])].flatMap((language) => {
    const own = known.filter((other) => other === language || other.startsWith(`${language}-`));
    // If the data have the language in several scripts, the tag without a script can stand for each of them.
    const isSure = own.every((other) => scriptOfLanguageTag(other) === wanted);
    const rankOf = (other: string): number => {
      if (other === askedTag) return 0;
      if (other === language) return isSure ? 1 : 4;
      if (scriptOfLanguageTag(other) !== wanted) return Number.NaN;
      return new Intl.Locale(other).region === undefined ? 2 : 3;
    };
    const ranked = own.map((other) => ({ other, rank: rankOf(other) })).filter(({ rank }) => !Number.isNaN(rank));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ other }) => other);
  });
}
