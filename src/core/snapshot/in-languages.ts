/**
 * A snapshot as readers of some languages see it: a view whose places and countries have the names of these languages,
 * and which shares everything else. No use case knows of languages: the functions of rendered-places.ts put the names in.
 * Views are made once for a list of languages that the snapshot has, and the latest are kept.
 */

import { oncePer } from '../../base/once-per.js';
import { RecencyMap } from '../../base/recency-map.js';
import type { ByteString } from './byte-string.js';
import { bindNames, findOtherName, languagesOf } from './names-by-language.js';
import { nameCountries, type RenderedCountries } from './rendered-countries.js';
import type { Country, CountryStructures, Snapshot } from './snapshot.js';

/*
 * From the tag of a request to the tags of the data: the lookup of RFC 4647, 3.4, which shortens a tag until the data have
 * it. Beside that, a tag of the data with another region and the same script stands for a shorter tag: of "zh-TW" the
 * data may have "zh-Hant" or "zh-HK", which are traditional Chinese too.
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
export function scriptOf(tag: string): string | undefined {
  return new Intl.Locale(tag).maximize().script;
}

/** The tags among `known` that stand for a tag, the best first. */
function listStandIns(tag: string, known: readonly string[]): string[] {
  const [, primary, script = '', region = ''] = TAG.exec(tag) ?? [];
  if (primary === undefined) return [];
  const asked = new Intl.Locale(primary + script + region);
  const [askedTag, wanted] = [asked.toString(), scriptOf(asked.toString())];
  return [asked.language, ...(RELATED[asked.language] ?? [])].flatMap((language) => {
    const own = known.filter((other) => other === language || other.startsWith(`${language}-`));
    // If the data have the language in several scripts, the tag without a script can stand for each of them.
    const isSure = own.every((other) => scriptOf(other) === wanted);
    const rankOf = (other: string): number => {
      if (other === askedTag) return 0;
      if (other === language) return isSure ? 1 : 4;
      if (scriptOf(other) !== wanted) return Number.NaN;
      return new Intl.Locale(other).region === undefined ? 2 : 3;
    };
    const ranked = own.map((other) => ({ other, rank: rankOf(other) })).filter(({ rank }) => !Number.isNaN(rank));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ other }) => other);
  });
}

/** Maximum number of lists of tags whose languages are kept: short texts. */
const MAX_TEXTS = 256;
/** Maximum number of views that are kept: each has up to two megabytes of countries and of names that it has shown. */
const MAX_VIEWS = 32;

class LanguageViews {
  readonly #languagesByText = new RecencyMap<string, string>(MAX_TEXTS);
  readonly #views = new RecencyMap<string, Snapshot>(MAX_VIEWS);

  readonly #known: readonly string[];

  constructor(private readonly snapshot: Snapshot) {
    const names = snapshot.countryNamesByLanguage;
    // In a damaged file there can be other texts among the tags.
    this.#known = names === undefined ? [] : languagesOf(names).filter(isTag);
  }

  /** `tags` are separated by commas. */
  of(tags: string): Snapshot {
    let languages = this.#languagesByText.get(tags);
    if (languages === undefined) {
      languages = this.#listLanguages(tags).join();
      this.#languagesByText.set(tags, languages);
    }
    if (languages === '') return this.snapshot;
    let view = this.#views.get(languages);
    view ??= createView(this.snapshot, languages.split(','));
    // Behind all others: rare lists of languages must not push out a usual one.
    this.#views.set(languages, view);
    return view;
  }

  #listLanguages(tags: string): string[] {
    return [...new Set(tags.split(',').flatMap((tag) => listStandIns(tag, this.#known)))];
  }
}

const viewsOf = oncePer((snapshot: Snapshot) => new LanguageViews(snapshot));

/**
 * The snapshot in the languages of some tags (BCP 47), separated by commas, the preferred first: the snapshot itself if it
 * has none of them.
 */
export function inLanguages(snapshot: Snapshot, tags: string): Snapshot {
  return snapshot.countryNamesByLanguage === undefined ? snapshot : viewsOf(snapshot).of(tags);
}

/** What the view has of its own is made when it is used first. */
function createView(snapshot: Snapshot, languages: readonly string[]): Snapshot {
  const otherNames = bindNames(snapshot.countryNamesByLanguage, languages);
  const countries = snapshot.countries.map((country) => createCountry(country, languages));
  let renderedCountries: RenderedCountries | undefined;
  let countryNamesJson: readonly ByteString[] | undefined;
  return {
    ...snapshot,
    countries,
    countryByCode: new Map(countries.map((country) => [country.entry.code, country])),
    get renderedCountries() {
      renderedCountries ??= nameCountries(snapshot.renderedCountries, otherNames);
      return renderedCountries;
    },
    get countryNamesJson() {
      countryNamesJson ??= snapshot.countryNamesJson.map(
        (name, number) => (otherNames && findOtherName(otherNames, number)) ?? name,
      );
      return countryNamesJson;
    },
  };
}

function createCountry(country: Country, languages: readonly string[]): Country {
  let structures: CountryStructures | undefined;
  return {
    entry: country.entry,
    number: country.number,
    get structures() {
      structures ??= country.structures && nameStructures(country.structures, languages);
      return structures;
    },
  };
}

function nameStructures(structures: CountryStructures, languages: readonly string[]): CountryStructures {
  const otherNames = bindNames(structures.namesByLanguage, languages);
  if (otherNames === undefined) return structures;
  return { ...structures, renderedPlaces: { ...structures.renderedPlaces, otherNames } };
}
