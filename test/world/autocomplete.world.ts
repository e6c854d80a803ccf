/**
 * Autocomplete against a naive scan over all names: 500 seeded prefixes of names and of words inside them, in the world
 * and in one country. The scan derives from the places alone what can be suggested and in which order: exact names,
 * then names that start with the query, then those with a later word that does; by rank within each.
 */
import { expect, test } from '@jest/globals';
import { foldText } from '../../src/format/fold-text.js';
import type { PlaceAnswer } from '../../src/format/place-answers.js';
import { autocomplete } from '../../src/service/autocomplete.js';
import { placeJson } from '../../src/store/place-answers.js';
import {
  count,
  countriesWithData,
  createRandom,
  Failures,
  openRelease,
  parsePieces,
  parsePlaces,
  pick,
  printFigures,
  structuresOf,
  textOf,
} from './world.js';

const PREFIX_COUNT = 500;

/** A place that can be suggested. */
interface Candidate {
  readonly country: string;
  readonly place: number;
  readonly id: string;
  readonly level: number;
  /** How many postal codes lie below. */
  readonly importance: number;
  /** The folded name, then the folded local name where it is another. */
  readonly spellings: readonly string[];
}

/** Candidates best first, and their spellings one behind the other: a line each, `starts` telling whose. */
interface Names {
  readonly candidates: readonly Candidate[];
  readonly text: string;
  readonly starts: readonly number[];
  readonly owners: readonly number[];
}

test('500 prefixes get the same suggestions as from a scan over all names', () => {
  const snapshot = openRelease('2026-03');
  const byCountry = new Map(
    countriesWithData(snapshot).map(({ code, structures }) => [code, findCandidates(code, parsePlaces(structures))]),
  );
  const world = joinNames([...byCountry.values()].flat());
  const joined = new Map<string, Names>();
  const namesOf = (country: string): Names => {
    const names = joined.get(country) ?? joinNames(byCountry.get(country) ?? []);
    joined.set(country, names);
    return names;
  };
  const random = createRandom(4);
  const failures = new Failures();
  let suggestionCount = 0;
  for (let index = 0; index < PREFIX_COUNT; index++) {
    const candidate = pick(random, world.candidates);
    const query = makePrefix(random, pick(random, candidate.spellings));
    const country = index % 2 === 0 ? undefined : candidate.country;
    const limit = pick(random, [1, 10, 25]);
    const names = country === undefined ? world : namesOf(country);
    const expected = scan(names, query, limit).map((found) => {
      const answer = JSON.parse(textOf(placeJson(structuresOf(snapshot, found.country).answers, found.place)));
      return `${found.country}${answer.path} ${answer.postalCode} ${answer.name}`;
    });
    const suggestions = parsePieces<(PlaceAnswer & { countryCode: string })[]>(
      autocomplete(snapshot, { query: query.toUpperCase(), country, limit }),
    ).map(({ countryCode, path, postalCode, name }) => `${countryCode}${path} ${postalCode} ${name}`);
    suggestionCount += expected.length;
    if (suggestions.join('\n') !== expected.join('\n')) {
      failures.add(
        `"${query}" ${country ?? 'world'} ${limit}: ${suggestions.join(', ')}; by scan ${expected.join(', ')}`,
      );
    }
  }
  expect(failures.shown).toEqual([]);
  printFigures(
    `autocomplete: ${PREFIX_COUNT} prefixes, ${count(suggestionCount)} suggestions as from a scan over ` +
      `${count(world.starts.length)} spellings of ${count(world.candidates.length)} places`,
  );
});

/** Every admin unit; of the leaves that share name and parent the one with the lowest code, then id. */
function findCandidates(country: string, places: readonly PlaceAnswer[]): Candidate[] {
  const codesBelow = new Map<string, Set<string>>();
  const parents = new Map(places.map(({ id, parentId }) => [id, parentId]));
  const groups = new Map<string, number[]>();
  places.forEach(({ parentId, name, localName, postalCode }, place) => {
    if (postalCode === null) return;
    const key = `${parentId}\t${name}\t${localName}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
    for (let at = parentId; at !== null; at = parents.get(at) ?? null) {
      const codes = codesBelow.get(at);
      if (codes === undefined) codesBelow.set(at, new Set([postalCode]));
      else codes.add(postalCode);
    }
  });
  const candidateOf = (place: number, importance: number): Candidate => {
    const { id, level, name, localName } = places[place] as PlaceAnswer;
    const spellings = [...new Set([foldText(name), foldText(localName)])].filter((spelling) => spelling !== '');
    return { country, place, id, level, importance, spellings };
  };
  const units = places.flatMap(({ id, postalCode }, place) =>
    postalCode === null ? [candidateOf(place, codesBelow.get(id)?.size ?? 0)] : [],
  );
  const codeAndId = (place: number): string => `${places[place]?.postalCode}\t${places[place]?.id}`;
  const leaves = [...groups.values()].map((group) => {
    const first = group.reduce((best, place) => (codeAndId(place) < codeAndId(best) ? place : best));
    return candidateOf(first, new Set(group.map((place) => places[place]?.postalCode)).size);
  });
  return [...units, ...leaves].filter(({ spellings }) => spellings.length > 0);
}

function joinNames(unordered: readonly Candidate[]): Names {
  const candidates = [...unordered].sort(compareCandidates);
  const starts: number[] = [];
  const owners: number[] = [];
  let length = 0;
  candidates.forEach(({ spellings }, owner) => {
    for (const spelling of spellings) {
      starts.push(length);
      owners.push(owner);
      length += spelling.length + 1;
    }
  });
  return { candidates, text: `\n${candidates.flatMap(({ spellings }) => spellings).join('\n')}\n`, starts, owners };
}

function compareCandidates(a: Candidate, b: Candidate): number {
  const [nameA, nameB] = [a.spellings[0] as string, b.spellings[0] as string];
  return (
    b.importance - a.importance ||
    a.level - b.level ||
    (nameA === nameB ? 0 : nameA < nameB ? -1 : 1) ||
    (a.id < b.id ? -1 : 1)
  );
}

function scan(names: Names, query: string, limit: number): Candidate[] {
  const found = new Set<Candidate>();
  for (const pattern of [`\n${query}\n`, `\n${query}`, ` ${query}`]) {
    let at = names.text.indexOf(pattern);
    while (at !== -1 && found.size < limit) {
      found.add(names.candidates[ownerAt(names, at)] as Candidate);
      at = names.text.indexOf(pattern, at + 1);
    }
  }
  return [...found];
}

/** Whose spelling holds the character behind position `at`, by binary search; the text has one line end before it. */
function ownerAt({ starts, owners }: Names, at: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle;
  }
  return owners[low] as number;
}

/** The start of a name, or of a later word in it; now and then the whole name. */
function makePrefix(random: () => number, spelling: string): string {
  if (random() < 0.1 && spelling.length > 1) return spelling;
  const words = spelling.split(' ');
  const first = random() < 0.6 ? 0 : Math.floor(random() * words.length);
  const text = words.slice(first).join(' ');
  return text.slice(0, 2 + Math.floor(random() * 8)).trimEnd();
}
