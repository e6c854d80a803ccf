/**
 * The measures of bench:lines of names in other languages and of abbreviated names. GeoNames' tables of cities have no
 * languages: names of large cities were written down by hand (names-abroad.tsv) and compared with the cities of time
 * zones in CLDR 48; names in Russian letters are those that Russian could have; the rest is transcribed by rule.
 */
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { caseOf, isNear } from './judging.mjs';
import { readTable } from './read-table.mjs';
import { drawFrom, randomFor } from './source.mjs';
import { transcribe } from './transcription.mjs';

const CASES = 600;
const CITY_PEOPLE = 15_000;
const TOWN_PEOPLE = 2_000;
/** Number of people from which foreigners write about a city. */
const KNOWN_PEOPLE = 50_000;
const AIMS = { de: [93, 83], fr: [91, 81], es: [92, 87], pt: [91, 89], ru: [89, 85] };
const LANGUAGES = { de: 'German', fr: 'French', es: 'Spanish', pt: 'Portuguese', ru: 'Russian' };
/** Countries whose cities have Cyrillic names of their own. */
const CYRILLIC_COUNTRIES = new Set(['RU', 'UA', 'BY', 'BG', 'MK', 'RS', 'KZ', 'KG']);
const CYRILLIC = /^\p{Script=Cyrillic}[\p{Script=Cyrillic} -]*$/u;
/** Letters that Russian has, in a name of at least four. */
const RUSSIAN = /^[А-Яа-яЁё][А-Яа-яЁё -]{3,}$/;

/** `[country codes, long form, abbreviations]`; `$1` is the word that stays. */
const ABBREVIATIONS = [
  ['AR CL CO CR DO EC ES GT HN PA PE PH PR UY', /^Puerto /, ['Pto. ', 'Pto ', 'pto ']],
  ['AR CL CO CR DO EC ES GT HN PA PE PR UY', /^Punta /, ['Pta. ', 'Pta ']],
  ['AR BR CL CO CR DO EC ES GT HN PA PE PH PR PT UY', /^Santa /, ['Sta. ', 'Sta ', 'sta ']],
  ['AR BR CL CO CR DO EC ES GT HN PA PE PH PR PT UY', /^Santo /, ['Sto. ', 'Sto ', 'sto ']],
  ['AR BR CL CO EC PE PH UY', /^General /, ['Gral. ', 'Gral ', 'Gen. ']],
  ['AR CL CO CR EC ES GT HN PE', /^Ciudad /, ['Cdad. ', 'Cd. ', 'Cdad ']],
  ['AR CL CO EC ES PE UY', /^Villa /, ['Vla. ', 'Vla ', 'vla ']],
  ['DE', / am Main$/, [' a. M.', '/Main', ' a.M.', ' a. Main']],
  ['DE', / vor der Höhe$/, [' v.d.H.', ' v. d. H.', ' v.d. Höhe']],
  ['DE', / am Rhein$/, [' a. Rh.', '/Rhein', ' a. Rhein']],
  ['DE', / an der (\p{L}+)$/u, [' a. d. $1', ' a.d. $1', '/$1']],
  ['DE', / am Neckar$/, [' a. N.', '/Neckar']],
  ['DE', / im Breisgau$/, [' i. Br.', ' i.Br.']],
  ['DE', / in der Oberpfalz$/, [' i.d.OPf.', ' i. d. OPf.']],
  ['DE', / bei (\p{L}+)$/u, [' b. $1']],
  ['DE AT CH', /^(Sankt|St\.) /, ['St. ', 'St ', 'Skt. ']],
  ['PL', / Wielkopolski(e)?$/, [' Wlkp.', ' Wlkp']],
  ['PL', / Mazowieck(i|a|ie)$/, [' Maz.']],
  ['PL', / Śląsk(i|a|ie)$/, [' Śl.']],
  ['CZ SK', / nad (\p{L}+)$/u, [' n. $1', '/$1']],
  ['US CA', /^Saint /, ['St. ', 'St ']],
  ['US CA GB AU', /^Mount /, ['Mt. ', 'Mt ']],
  ['US CA', /^Fort /, ['Ft. ', 'Ft ']],
  ['FR', /^Saint-/, ['St-', 'St ', 'ST ']],
  ['FR', /^Sainte-/, ['Ste-', 'Ste ']],
  ['FR', /-sur-(\p{L}+)$/u, [' s/ $1', ' s/$1']],
];
/** Maximum number of cases of one abbreviation, so that the common ones do not outweigh the rest. */
const CASES_PER_FORM = 40;

export function nameMeasures(source) {
  const rows = readTable('names-abroad.tsv').filter(({ country }) => source.isCovered(country));
  const rowsOf = (wanted) => rows.filter(({ kind }) => kind === wanted);
  const knownCases = (kind) =>
    rowsOf(kind).map(({ country, name, typed }) => cityCase(source.cityNamed(country, foldText(name)), typed));
  const measures = Object.entries(LANGUAGES).map(([language, name]) => ({
    name: `names in ${name}, large cities`,
    aim: AIMS[language][0],
    before: AIMS[language][1],
    cases: () => knownCases(language),
  }));
  for (const language of ['de', 'fr', 'es', 'pt']) {
    const [aim] = AIMS[language];
    const cases = () => transcribedCases(source, language);
    measures.push({ name: `Cyrillic in ${LANGUAGES[language]}`, aim, cases });
  }
  return [
    ...measures,
    { name: 'names in Russian letters', aim: AIMS.ru[0], cases: () => russianCases(source) },
    {
      name: 'short names of cities',
      cases: () => knownCases('short'),
    },
    { name: 'English names of regions', cases: () => rowsOf('region').map(regionCase) },
    { name: 'abbreviations', aim: 85, before: 71, cases: () => abbreviatedCases(source) },
  ];
}

/**
 * Right is the city or a place of the same name: which of them is meant, other measures ask. Where a place has the very
 * name that was typed, it may come first, and the city is among five.
 */
function cityCase(city, query, country) {
  const [main, typed] = [city.name, query].map(foldText);
  const isRight = (place) => isNear(place, city) || foldText(place.name) === main;
  return caseOf({ query, country, meant: `${city.name} ${city.countryCode}`, position: city }, ([first, ...others]) => {
    if (first === undefined) return false;
    return isRight(first) || (foldText(first.name) === typed && others.some(isRight));
  });
}

/** Right is the unit, by either name: which of the two it has is the builder's choice. */
function regionCase({ country, name, typed }) {
  const names = [name, typed].map(foldText);
  return caseOf(
    { query: typed, meant: `${country} ${name}` },
    ([first]) =>
      first?.countryCode === country &&
      first.level === 1 &&
      [first.name, first.localName].some((text) => names.includes(foldText(text))),
  );
}

/** Names of cities in RU, and for German and French in UA, that differ from the main name when transcribed. */
function transcribedCases(source, language) {
  const countries = language === 'de' || language === 'fr' ? ['RU', 'RU', 'UA'] : ['RU'];
  const cases = [...new Set(countries)].flatMap((country) =>
    source
      .citiesOf(country)
      .filter(({ population }) => population >= CITY_PEOPLE)
      .flatMap((city) => {
        const main = new Set([city.name, city.asciiName].map(foldText));
        const own = ownName(city, main);
        const query = own && transcribe(own, language, country === 'UA');
        return query === undefined || main.has(foldText(query)) ? [] : [cityCase(city, query)];
      }),
  );
  return drawFrom(cases, CASES, `transcribed ${language}`);
}

/** Of the names in Cyrillic, the one in the country's language is romanised as the main name is; Russian has э and ы. */
function ownName({ otherNames }, main) {
  const names = otherNames.filter((name) => CYRILLIC.test(name) && main.has(foldText(name)));
  return names.find((name) => /[эы]/i.test(name)) ?? names[0];
}

/** Names in Russian letters of cities elsewhere, one each. Those of Bulgarian and Serbian are often the same. */
function russianCases(source) {
  const cases = source.cities
    .filter(({ countryCode, population }) => population >= KNOWN_PEOPLE && !CYRILLIC_COUNTRIES.has(countryCode))
    .flatMap((city) => {
      const names = city.otherNames.filter((name) => RUSSIAN.test(name));
      return names.length === 0 ? [] : [cityCase(city, randomFor('russian', city.geonameId).one(names))];
    });
  return drawFrom(cases, CASES, 'russian');
}

/** Abbreviated names of towns, in their country. */
function abbreviatedCases(source) {
  return ABBREVIATIONS.flatMap(([countries, long, forms]) => {
    const cases = countries
      .split(' ')
      .flatMap((country) => source.citiesOf(country))
      .filter(({ name, population }) => population >= TOWN_PEOPLE && long.test(name))
      .map((city) => {
        const form = randomFor('abbreviation', city.geonameId).one(forms);
        return cityCase(city, city.name.replace(long, form), city.countryCode);
      });
    return drawFrom(cases, CASES_PER_FORM, `abbreviations ${forms[0]}`);
  });
}
