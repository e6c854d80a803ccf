/**
 * The reference of bench:suggest: a plain list of cities, the most populous first. It answers with the cities whose main
 * name starts with what was typed, and then with those that have it as another name. It knows nothing of context and
 * mistakes.
 */
const LIMIT = 10;
const KEY_LENGTH = 3;

/** `cities` by population; a function that lists the best of them for a query, of one country or of all. */
export function createCityList(cities, foldText) {
  const citiesByOtherName = new Map();
  const startsByKey = new Map();
  const append = (lists, key, entry) => {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [entry]);
    else list.push(entry);
  };
  for (const city of cities) {
    const folded = foldText(city.name);
    for (const name of new Set([city.asciiName, ...city.otherNames].map(foldText)))
      append(citiesByOtherName, name, city);
    append(startsByKey, folded.slice(0, KEY_LENGTH), { folded, city });
  }
  return (query, country) => {
    const typed = foldText(query);
    const found = (startsByKey.get(typed.slice(0, KEY_LENGTH)) ?? [])
      .filter(({ folded }) => folded.startsWith(typed))
      .map(({ city }) => city);
    found.push(...(citiesByOtherName.get(typed) ?? []));
    const fitting = country === undefined ? found : found.filter(({ countryCode }) => countryCode === country);
    return [...new Set(fitting)].slice(0, LIMIT);
  };
}
