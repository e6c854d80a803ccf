/**
 * What people may type for a city, by measure. Names and mistakes are drawn by seed and geonameid, so a city is asked
 * for in the same words in every run, whatever the other cities are.
 */
import { createRandom } from '../../fixtures/random.mjs';

const SEED = 20251119;
const MIN_OTHER_LETTERS = 4;
const LATIN_NAMES = 5;
const OTHER_NAMES = 3;
/** Cities from here on are to be found with a mistake in the first three letters. */
const TYPO_POPULATION = 100_000;
const MIN_TYPO_LETTERS = 5;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const NON_LATIN = /[^\P{L}\p{Script=Latin}]/u;

/**
 * The measures: what each asks of a city (a list of queries, empty where the measure does not fit the city), with the
 * city's country or without, and whether its figure is the mean reciprocal rank of a prefix.
 */
export function listMeasures({ foldText, countryNameOf }) {
  const prefix = (length) => (city) => {
    const letters = [...city.name];
    return letters.length < length ? [] : [letters.slice(0, length).join('').trim()];
  };
  const latin = (city) => drawNames(city, foldText, (name) => !NON_LATIN.test(name), LATIN_NAMES, 1);
  const other = (city) => drawNames(city, foldText, (name) => NON_LATIN.test(name), OTHER_NAMES, 2);
  const both = (name, queriesOf, isPrefix = false) => [
    { name: `${name}, world`, queriesOf, inCountry: false, isPrefix },
    { name: `${name}, country`, queriesOf, inCountry: true, isPrefix },
  ];
  return [
    ...both('name', ({ name }) => [name]),
    ...[3, 4, 5].flatMap((length) => both(`${length} letters`, prefix(length), true)),
    ...both('other names, Latin', latin),
    ...both('other names, other scripts', other),
    { name: '"City, Country"', queriesOf: (city) => [`${city.name}, ${countryNameOf(city)}`], inCountry: false },
    {
      name: '"City, ST" (US)',
      queriesOf: ({ name, countryCode, adminCodes }) => (countryCode === 'US' ? [`${name}, ${adminCodes[0]}`] : []),
      inCountry: false,
    },
    { name: 'typo in 3 letters', queriesOf: (city) => mistype(city, foldText), inCountry: false },
  ];
}

/** Other names of four letters and more that are not found as the main name is; each once, as it is folded. */
function drawNames(city, foldText, fits, count, salt) {
  const main = new Set([foldText(city.name), foldText(city.asciiName)]);
  const byFolded = new Map();
  for (const name of city.otherNames) {
    const folded = foldText(name);
    const letters = name.match(/\p{L}/gu)?.length ?? 0;
    if (letters >= MIN_OTHER_LETTERS && folded !== '' && !main.has(folded) && fits(name) && !byFolded.has(folded)) {
      byFolded.set(folded, name);
    }
  }
  const names = [...byFolded.values()];
  const random = createRandom(SEED + salt + city.geonameId);
  const drawn = [];
  while (drawn.length < count && names.length > 0) drawn.push(...names.splice(Math.floor(random() * names.length), 1));
  return drawn;
}

/** One letter among the first three left out, doubled by another, replaced, or swapped with the next one. */
function mistype({ geonameId, name, population }, foldText) {
  const folded = foldText(name);
  if (population < TYPO_POPULATION || folded.length < MIN_TYPO_LETTERS) return [];
  const random = createRandom(SEED + 3 + geonameId);
  for (;;) {
    const at = Math.floor(random() * 3);
    const letter = LETTERS[Math.floor(random() * LETTERS.length)];
    const [before, here, behind] = [folded.slice(0, at), folded[at], folded.slice(at + 1)];
    const mistyped = [
      before + behind,
      before + here + letter + behind,
      before + letter + behind,
      before + (behind[0] ?? '') + here + behind.slice(1),
    ][Math.floor(random() * 4)];
    if (mistyped !== folded) return [mistyped];
  }
}
