/**
 * Checks one country of a snapshot: every number that a look-up follows is within its bounds, every list that it searches
 * is in order, and from each place one comes back to it by id, path, postal code and parent. Codes, orders and levels
 * hold each place once; points lie where their leaves are, but a leaf may lack a point. What a look-up finds is not
 * checked (ranks, facts, contexts, which place stands for others): that is for the builder's tests. Reads the country's
 * slices into memory.
 */

import { isUtf8 } from 'node:buffer';
import {
  codesOfFirstPart,
  decodeFullCodeSecondPart,
  encodeFullCodeSecondPart,
  fullCodePoints,
  UNITS_PER_DEGREE,
} from '../../src/core/snapshot/full-codes.js';
import { POINT_NODE_SIZE, type TreePoints } from '../../src/core/snapshot/kd-tree.js';
import type { CountryEntry, Section } from '../../src/core/snapshot/manifest.js';
import { isPathDigestBefore } from '../../src/core/snapshot/old-paths.js';
import { findByPath } from '../../src/core/snapshot/path-trie.js';
import { cityCentres, NO_CITY } from '../../src/core/snapshot/place-cities.js';
import { comparePlaceIds, decodePlaceIds, idAt } from '../../src/core/snapshot/place-id.js';
import { findById } from '../../src/core/snapshot/place-id-index.js';
import { POSITION_SOURCES } from '../../src/core/snapshot/place-positions.js';
import {
  childRange,
  LEVEL_COUNT,
  levelOf,
  levelRange,
  NO_PARENT,
  type PlaceTree,
} from '../../src/core/snapshot/place-tree.js';
import { isLeafType, PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import { POINT_TIERS, pointTier } from '../../src/core/snapshot/point-index.js';
import {
  hashPostcode,
  indexedPostcode,
  indexedPostcodePlaces,
  MAX_CODE_BYTES,
} from '../../src/core/snapshot/postcode-index.js';
import {
  MAX_RENDERED_BYTES,
  parsePlace,
  renderedFieldOffset,
  renderedPathOf,
} from '../../src/core/snapshot/rendered-places.js';
import { type CountryStructures, decodeCountryStructures } from '../../src/core/snapshot/snapshot.js';
import { readSlice, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Task } from '../pool/pool.js';
import { checkAscending, checkBelow, checkPlaceList, checkTable, failArrayCheck } from './array-checks.js';
import { checkNameIndex } from './check-name-index.js';
import { checkNamesByLanguage } from './check-names-by-language.js';

export interface VerifyCountryTask extends Task<undefined> {
  readonly kind: 'verify-country';
  readonly path: string;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
  readonly pageUrl: string;
}

export function verifyCountry({ path, entry, sections, pageUrl }: VerifyCountryTask): void {
  const structures = withFile(path, (fd) =>
    decodeCountryStructures(entry.code, (name) => readSlice(fd, sections, entry, name)),
  );
  const { code } = entry;
  const { tree, names } = structures;
  checkTree(tree, entry);
  const answers = checkAnswers(structures, code, pageUrl);
  checkIdsAndPaths(structures, code);
  checkOrders(structures, answers, code);
  checkPostcodes(structures, answers, entry);
  checkPoints(structures, answers, code);
  checkNameIndex(names, () => tree.placeCount, `name-index of ${code}`);
  checkPlaceLists(structures, code);
  checkFullCodes(structures, code);
  checkCities(structures, answers, code);
  checkNamesByLanguage(structures.namesByLanguage, `names-by-language of ${code}`);
}

/**
 * A place with a postal code has a city. A city belongs to itself, its members are those that belong to it, in order, and
 * it has one centre at most.
 */
function checkCities(structures: CountryStructures, { postalCodes }: AnswerFields, countryCode: string): void {
  const { cities, members, centred, named, nameText } = structures.cities;
  const where = `place-cities of ${countryCode}`;
  let memberCount = 0;
  for (const [place, city] of cities.entries()) {
    if (city === NO_CITY && postalCodes[place] !== null) {
      failArrayCheck(where, `a city of place ${place}`, city);
    }
    if (city === NO_CITY || city === place) continue;
    if (cities[city] !== city) failArrayCheck(where, `a city of place ${place} that is its own city`, city);
    memberCount++;
  }
  if (members.length !== memberCount) failArrayCheck(where, `${memberCount} members`, members.length);
  let [lastCity, last] = [-1, -1];
  for (const place of members) {
    const city = cities[place] ?? NO_CITY;
    const isNext = city > lastCity || (city === lastCity && place > last);
    if (city === NO_CITY || city === place || !isNext) failArrayCheck(where, 'members by city and number', place);
    [lastCity, last] = [city, place];
  }
  for (const place of centred) if (cities[place] !== place) failArrayCheck(where, 'centres of cities', place);
  if (new Set(centred).size !== centred.length) failArrayCheck(where, 'one centre a city', 'two');
  checkHalves(cityCentres(structures), where);
  checkPlaceList(`${where}.named`, named, cities.length);
  for (const place of named) if (cities[place] !== place) failArrayCheck(where, 'names of cities', place);
  if (!isUtf8(nameText)) failArrayCheck(`${where}.nameText`, 'UTF-8', 'other bytes');
}

function checkTree(tree: PlaceTree, entry: CountryEntry): void {
  const where = `place-tree of ${entry.code}`;
  const { parents, childStarts, levelStarts, placeCount } = tree;
  for (let level = 1; level <= LEVEL_COUNT; level++) {
    // levelRange would clamp a wrong range to the existing places.
    const count = (levelStarts[level] as number) - (levelStarts[level - 1] as number);
    const expected = entry.levelCounts[level - 1];
    if (count !== expected) failArrayCheck(where, `${expected} places of level ${level}`, count);
  }
  if (childStarts[0] !== levelStarts[1]) failArrayCheck(where, 'children to start after the roots', childStarts[0]);
  if (childStarts[placeCount] !== placeCount)
    failArrayCheck(where, 'children to end with the places', childStarts[placeCount]);
  checkAscending(`${where}.childStarts`, childStarts, 0);
  for (let place = 0; place < placeCount; place++) {
    const parent = parents[place] as number;
    const level = levelOf(tree, place);
    if (level === 1) {
      if (parent !== NO_PARENT) failArrayCheck(where, `root ${place} without a parent`, parent);
      continue;
    }
    const isAbove = parent < place && levelOf(tree, parent) === level - 1;
    if (!isAbove) failArrayCheck(where, `a parent one level above place ${place}`, parent);
    const { start, end } = childRange(tree, parent);
    const isChild = place >= start && place < end;
    if (!isChild) failArrayCheck(where, `place ${place} among its parent's children`, `${start} to ${end}`);
  }
}

/** The fields of answers that indexes lead by, by place. */
interface AnswerFields {
  /** UTF-8, a character for each byte. */
  readonly names: readonly string[];
  /** UTF-8, a character for each byte; null for an admin unit. */
  readonly postalCodes: readonly (string | null)[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

/** The fields of an answer that follow from other structures. */
const EXPECTED_FIELDS = ['id', 'countryCode', 'level', 'path', 'parentId', 'url'] as const;

/** Each answer has the promised form and field offsets, and agrees with the tree, its parent's answer and the manifest. */
function checkAnswers(structures: CountryStructures, countryCode: string, pageUrl: string): AnswerFields {
  const where = `place-answers of ${countryCode}`;
  const { tree, renderedPlaces } = structures;
  const { offsets, text } = renderedPlaces;
  const ids = decodePlaceIds(tree.ids);
  const names: string[] = [];
  const postalCodes: (string | null)[] = [];
  const latitudes = new Float64Array(tree.placeCount);
  const longitudes = new Float64Array(tree.placeCount);
  checkAscending(`${where}.offsets`, offsets, 1);
  if (!isUtf8(text)) failArrayCheck(where, 'UTF-8', 'other bytes');
  for (let place = 0; place < tree.placeCount; place++) {
    // In Latin-1 a character is a byte, as in field offsets.
    const json = text.toString('latin1', offsets[place], offsets[place + 1]);
    const parsed = parsePlace(json, 0);
    if (parsed?.end !== json.length || json.length > MAX_RENDERED_BYTES) {
      failArrayCheck(where, `place ${place} in the promised form`, json.slice(0, 500));
    }
    for (let field = 0; field < parsed.fieldOffsets.length; field++) {
      const [expected, found] = [parsed.fieldOffsets[field], renderedFieldOffset(renderedPlaces, place, field)];
      if (found !== expected) failArrayCheck(where, `field offset ${field} of place ${place} at ${expected}`, found);
    }
    const answer = parsed.place;
    const parent = tree.parents[place] as number;
    const path = `${parent === NO_PARENT ? '' : renderedPathOf(renderedPlaces, parent)}/${answer.slug}`;
    const expected = {
      id: ids[place],
      countryCode,
      level: levelOf(tree, place),
      path,
      parentId: parent === NO_PARENT ? null : ids[parent],
      url: pageUrl + path,
    };
    for (const field of EXPECTED_FIELDS) {
      if (answer[field] !== expected[field]) {
        failArrayCheck(where, `${field} of place ${place} to be ${expected[field]}`, answer[field]);
      }
    }
    const type = (PLACE_TYPES as readonly string[]).indexOf(answer.type);
    const isOfType = type !== -1 && isLeafType(type) === (answer.postalCode !== null);
    if (!isOfType) failArrayCheck(where, `a type for place ${place}, and a code if it is a leaf`, answer.type);
    const { latitude, longitude } = answer;
    if (!isOnEarth(latitude, longitude))
      failArrayCheck(where, `coordinates for place ${place}`, `${latitude}, ${longitude}`);
    names.push(answer.name);
    postalCodes.push(answer.postalCode);
    latitudes[place] = latitude;
    longitudes[place] = longitude;
  }
  return { names, postalCodes, latitudes, longitudes };
}

function isOnEarth(latitude: number, longitude: number): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** Every place is found by its id and by its path, so no two places share one. */
function checkIdsAndPaths(structures: CountryStructures, code: string): void {
  const { ids, tree, trie, renderedPlaces } = structures;
  const { placeCount } = tree;
  checkBelow(`id-index of ${code}.slots`, ids.slots, placeCount + 1);
  checkBelow(`path-trie of ${code}`, trie.childrenBySlug, placeCount);
  for (let place = 0; place < placeCount; place++) {
    const withId = findById(ids, tree, idAt(tree.ids, place));
    if (withId !== place) failArrayCheck(`id-index of ${code}`, `place ${place} under its id`, withId);
    const path = renderedPathOf(renderedPlaces, place);
    const withPath = findByPath(structures, path.slice(1).split('/'));
    if (withPath !== place) failArrayCheck(`path-trie of ${code}`, `place ${place} under ${path}`, withPath);
  }
}

/**
 * The order of all places and of each level, and the order of siblings, are one order, in which the places of one name
 * are together, by id: a look-up finds all siblings of a name as a range. Which of two names is first, only the builder's
 * collation knows.
 */
function checkOrders({ tree, orders }: CountryStructures, { names }: AnswerFields, code: string): void {
  const where = `place-orders of ${code}`;
  const { all, byLevel } = orders;
  checkBelow(`${where}.all`, all, tree.placeCount);
  const positions = new Uint32Array(tree.placeCount);
  const nextOfLevel = tree.levelStarts.slice();
  const known = new Set<string>();
  all.forEach((place, position) => {
    const [name, previous] = [names[place] as string, all[position - 1]];
    // So no place is there twice, and each of as many as there are is there.
    const isNext =
      previous !== undefined && names[previous] === name
        ? comparePlaceIds(tree.ids, previous, place) < 0
        : !known.has(name);
    if (!isNext) failArrayCheck(where, `the places called ${name} together, by id`, `place ${place}`);
    known.add(name);
    positions[place] = position;
    const level = levelOf(tree, place) - 1;
    const next = nextOfLevel[level] as number;
    nextOfLevel[level] = next + 1;
    if (byLevel[next] !== place)
      failArrayCheck(`${where}.byLevel`, `place ${place}, as in the order of all`, byLevel[next]);
  });
  for (let place = 1; place < tree.placeCount; place++) {
    const areSiblings = tree.parents[place] === tree.parents[place - 1];
    const isNext = !areSiblings || (positions[place - 1] as number) < (positions[place] as number);
    if (!isNext) failArrayCheck(`place-tree of ${code}`, 'siblings in the order of all places', `place ${place}`);
  }
}

/** Codes ascend by bytes, each is found, and leads to places with this code; each leaf is the place of one. */
function checkPostcodes({ postcodes, tree }: CountryStructures, answers: AnswerFields, entry: CountryEntry): void {
  const where = `postcode-index of ${entry.code}`;
  const { codeCount, codeOffsets, codeText: bytes, placeStarts, places, slots } = postcodes;
  if (codeCount !== entry.distinctPostcodes) failArrayCheck(where, `${entry.distinctPostcodes} codes`, codeCount);
  checkAscending(`${where}.codeOffsets`, codeOffsets, 1);
  checkAscending(`${where}.placeStarts`, placeStarts, 1);
  checkBelow(`${where}.places`, places, tree.placeCount);
  const isListed = new Uint8Array(tree.placeCount);
  // In Latin-1 texts are in the order of their bytes.
  let previous = '';
  for (let code = 0; code < codeCount; code++) {
    const text = bytes.toString('latin1', codeOffsets[code], codeOffsets[code + 1]);
    const isNext = previous < text && text.length <= MAX_CODE_BYTES;
    if (!isNext) failArrayCheck(where, `codes ascending, each of at most ${MAX_CODE_BYTES} bytes`, text);
    previous = text;
    for (const place of indexedPostcodePlaces(postcodes, code)) {
      const isNew = answers.postalCodes[place] === text && isListed[place] === 0;
      if (!isNew) failArrayCheck(where, `places with the code ${text}, each once`, `place ${place}`);
      isListed[place] = 1;
    }
  }
  const leafCount = answers.postalCodes.filter((code) => code !== null).length;
  if (places.length !== leafCount) failArrayCheck(where, `${leafCount} places`, places.length);
  checkTable(`${where}.slots`, slots, codeCount, (code) => hashPostcode(indexedPostcode(postcodes, code)));
}

/** Each point is where its leaf is, on its side of every middle point, and has codes that exist, ascending. */
function checkPoints({ points, postcodes, tree }: CountryStructures, answers: AnswerFields, code: string): void {
  checkAscending(`point-index of ${code}.codeStarts`, points.codeStarts, 1);
  checkBelow(`point-index of ${code}.codes`, points.codes, postcodes.codeCount);
  checkBelow(`point-index of ${code}.places`, points.places, tree.placeCount);
  POINT_TIERS.forEach((name, number) => {
    const where = `point-index of ${code}, ${name}`;
    const tier = pointTier(points, number);
    tier.places.forEach((place, point) => {
      const isThere =
        answers.postalCodes[place] !== null &&
        tier.coords[point * 2] === answers.longitudes[place] &&
        tier.coords[point * 2 + 1] === answers.latitudes[place];
      if (!isThere) failArrayCheck(where, `a leaf at point ${point}`, `place ${place}`);
      checkAscending(where, tier.codes.subarray(tier.codeStarts[point], tier.codeStarts[point + 1]), 1);
    });
    checkHalves(tier, where);
  });
}

/**
 * Each first part has its full codes once, ascending, each on Earth and of a place of the first part; each full code is
 * once among the points, on its side of every middle point.
 */
function checkFullCodes({ fullCodes, postcodes }: CountryStructures, code: string): void {
  if (fullCodes === undefined) return;
  const where = `full-codes of ${code}`;
  const { starts, seconds, places, positions, order, count } = fullCodes;
  if (count === 0) failArrayCheck(where, 'a full code, or an empty slice', 'none');
  checkAscending(`${where}.starts`, starts, 0);
  for (let first = 0; first < postcodes.codeCount; first++) {
    const { start, end } = codesOfFirstPart(fullCodes, first);
    checkAscending(`${where}.seconds`, seconds.subarray(start, end), 1);
    checkBelow(`${where}.places`, places.subarray(start, end), indexedPostcodePlaces(postcodes, first).length);
  }
  const isListed = new Uint8Array(count);
  checkBelow(`${where}.order`, order, count);
  for (const number of order) isListed[number] = 1;
  for (let number = 0; number < count; number++) {
    const second = seconds[number] as number;
    if (encodeFullCodeSecondPart(decodeFullCodeSecondPart(second)) !== second)
      failArrayCheck(`${where}.seconds`, 'a second part', second);
    const position = { longitude: positions[number * 2] as number, latitude: positions[number * 2 + 1] as number };
    const isThere =
      Math.abs(position.latitude) <= 90 * UNITS_PER_DEGREE && Math.abs(position.longitude) <= 180 * UNITS_PER_DEGREE;
    if (!isThere) failArrayCheck(`${where}.positions`, 'coordinates', `${position.latitude}, ${position.longitude}`);
    if (isListed[number] === 0) failArrayCheck(`${where}.order`, `full code ${number} among the points`, 'none');
  }
  checkHalves(fullCodePoints(fullCodes), where);
}

/** Checks that each middle point separates the points before it from the points after it. */
function checkHalves({ degrees, places }: TreePoints, where: string): void {
  const checkNode = (left: number, right: number, axis: 0 | 1): void => {
    if (right - left <= POINT_NODE_SIZE) return;
    const middle = (left + right) >> 1;
    const split = degrees(middle, axis);
    for (let index = left; index <= right; index++) {
      const value = degrees(index, axis);
      const inPlace = index < middle ? value <= split : value >= split;
      if (!inPlace) failArrayCheck(where, `point ${index} on its side of ${split}`, value);
    }
    const other = axis === 0 ? 1 : 0;
    checkNode(left, middle - 1, other);
    checkNode(middle + 1, right, other);
  };
  checkNode(0, places.length - 1, 0);
}

/** The lists by place that look-ups search: they ascend, and lead to places and texts that exist. */
function checkPlaceLists({ tree, positions, contexts, oldPaths, facts }: CountryStructures, code: string): void {
  const { placeCount } = tree;
  const { sources, moved, released } = positions;
  checkBelow(`place-positions of ${code}.sources`, sources, POSITION_SOURCES.length);
  checkPlaceList(`place-positions of ${code}.moved`, moved, placeCount);
  for (let at = 0; at < released.length; at += 2) {
    const [longitude, latitude] = [released[at] as number, released[at + 1] as number];
    if (!isOnEarth(latitude, longitude))
      failArrayCheck(`place-positions of ${code}`, 'coordinates', `${latitude}, ${longitude}`);
  }
  checkPlaceList(`place-contexts of ${code}.units`, contexts.units, placeCount);
  checkAscending(`place-contexts of ${code}.textStarts`, contexts.textStarts, 0);
  checkBelow(`old-paths of ${code}.places`, oldPaths.places, placeCount);
  for (let at = 1; at < oldPaths.places.length; at++) {
    const digest = [oldPaths.digests[at * 2], oldPaths.digests[at * 2 + 1]] as [number, number];
    if (!isPathDigestBefore(oldPaths, at - 1, digest))
      failArrayCheck(`old-paths of ${code}`, 'digests ascending', digest);
  }
  checkPlaceList(`place-facts of ${code}.units`, facts.units, levelRange(tree, 1).end);
  checkAscending(`place-facts of ${code}.textStarts`, facts.textStarts, 1);
  checkBelow(`place-facts of ${code}.zones`, facts.zones, facts.zoneCount);
  checkPlaceList(`place-facts of ${code}.populated`, facts.populated, placeCount);
  checkPlaceList(`place-facts of ${code}.boundedUnits`, facts.boundedUnits, placeCount);
}
