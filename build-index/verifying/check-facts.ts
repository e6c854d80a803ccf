/**
 * Checks the facts of places: texts of the promised form, the first-level units and no others, zones in use, and units
 * with the zone of most of their leaves and with the bounds that these give. Not that zones, populations and codes are
 * right: nothing else in a file tells.
 */
import { RELEASE_CODE, SUBDIVISION_CODE, ZONE_NAME } from '../../src/format/place-facts.js';
import { PLACE_TYPES } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { findBounds } from '../structures/place-bounds.js';
import type { PlaceFields } from './check-answers.js';
import { fail, mustEqual } from './fail.js';

export function checkFacts(structures: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `place-facts of ${code}`;
  checkTexts(structures, fields, code, where);
  checkZones(structures, where);
  checkPopulations(structures, where);
  const { tree, positions, facts } = structures;
  const types = Uint8Array.from(fields.types, (type) => (PLACE_TYPES as readonly string[]).indexOf(type));
  const { units, bounds } = findBounds({ parents: tree.parents, sources: positions.sources, ...fields, types });
  mustEqual(where, 'the units with sure leaves', facts.boundedUnits, units);
  mustEqual(where, 'the bounds of their leaves', facts.bounds, bounds);
}

function checkTexts(
  { facts, tree }: CountryStructures,
  { postalCodes }: PlaceFields,
  country: string,
  where: string,
): void {
  const { zoneCount, units, textStarts } = facts;
  const text = Buffer.from(facts.text).toString('latin1');
  const texts: string[] = [];
  for (let number = 0; number + 1 < textStarts.length; number++) {
    const [start, end] = [textStarts[number] as number, textStarts[number + 1] as number];
    const whole = text.slice(start, end);
    if (!(start < end && whole.endsWith('\n'))) fail(where, 'texts with a line feed behind each', whole);
    texts.push(whole.slice(0, -1));
  }
  texts.slice(0, zoneCount).forEach((zone, number) => {
    const isNext = ZONE_NAME.test(zone) && (number === 0 || zone > (texts[number - 1] as string));
    if (!isNext) fail(where, 'time zones, ascending', zone);
  });
  const expected = postalCodes.slice(0, tree.levelStarts[1]).flatMap((code, place) => (code === null ? [place] : []));
  mustEqual(where, 'the first-level units', units, expected);
  const isoCodes = new Set<string>();
  for (let at = zoneCount; at < texts.length; at += 2) {
    const [iso, release] = [texts[at] as string, texts[at + 1] as string];
    if (iso !== '') {
      const isNew = SUBDIVISION_CODE.test(iso) && iso.startsWith(country) && !isoCodes.has(iso);
      if (!isNew) fail(where, `a code of ISO 3166-2 of ${country}, once`, iso);
      isoCodes.add(iso);
    }
    if (release !== '' && !RELEASE_CODE.test(release)) fail(where, 'a code of the release', release);
  }
}

function checkZones({ facts, tree }: CountryStructures, where: string): void {
  const { zones, zoneCount } = facts;
  const { parents, placeCount } = tree;
  const used = new Set(zones);
  for (const zone of used) if (zone >= zoneCount) fail(where, `${zoneCount} time zones`, zone);
  if (used.size !== zoneCount) fail(where, 'only time zones in use', zoneCount);
  const counts = new Map<number, Uint32Array>();
  for (let place = placeCount - 1; place >= 0; place--) {
    const ofLeaves = counts.get(place);
    const zone = zones[place] as number;
    if (ofLeaves !== undefined) {
      const most = ofLeaves.indexOf(Math.max(...ofLeaves));
      if (zone !== most) fail(where, `the zone of most leaves of place ${place}, ${most}`, zone);
    }
    for (let unit = parents[place] as number; ofLeaves === undefined && unit !== NO_PARENT; ) {
      const ofUnit = counts.get(unit) ?? new Uint32Array(zoneCount);
      ofUnit[zone] = (ofUnit[zone] as number) + 1;
      counts.set(unit, ofUnit);
      unit = parents[unit] as number;
    }
    counts.delete(place);
  }
}

function checkPopulations({ facts, tree }: CountryStructures, where: string): void {
  const { populated, populations } = facts;
  populated.forEach((place, at) => {
    const isNext = place < tree.placeCount && (at === 0 || place > (populated[at - 1] as number));
    if (!isNext) fail(where, 'places with a population, ascending', place);
    if (populations[at] === 0) fail(where, `people in place ${place}`, 0);
  });
}
