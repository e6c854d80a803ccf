/**
 * A snapshot as readers of some languages see it: a view whose places and countries have the names of these languages,
 * and which shares everything else. No use case knows of languages: the functions of rendered-places.ts put the names in.
 * Views are made once for a list of languages that the snapshot has, and the latest are kept.
 */

import { oncePer } from '../../base/once-per.js';
import { RecencyMap } from '../../base/recency-map.js';
import type { ByteString } from './byte-string.js';
import { isTag, listStandInLanguages } from './language-tags.js';
import { bindNames, findOtherName, languagesOf } from './names-by-language.js';
import { nameCountries, type RenderedCountries } from './rendered-countries.js';
import type { Country, CountryStructures, Snapshot } from './snapshot.js';

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
    return [...new Set(tags.split(',').flatMap((tag) => listStandInLanguages(tag, this.#known)))];
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
