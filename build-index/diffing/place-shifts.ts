/**
 * Measures how far kept places were shifted: counts those over 1, 10 and 100 km, and keeps the farthest. Distances are
 * great circles on a sphere with a radius of 6371 km, equal in both directions.
 */

import {
  FIELD_OFFSETS,
  LATITUDE_KEY,
  LONGITUDE_KEY,
  PARENT_ID_KEY,
  type RenderedPlaces,
  renderedFieldOffset,
} from '../../src/core/snapshot/rendered-places.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import { distanceKm, type Position } from '../../src/core/snapshot/sphere.js';
import { type Counts, EXAMPLES_PER_KIND } from './change-counts.js';
import type { Pair } from './matched-places.js';

export interface Shift {
  readonly pair: Pair;
  readonly from: Position;
  readonly to: Position;
  readonly km: number;
}

type ShiftCounts = Pick<Counts, 'shiftedOver1Km' | 'shiftedOver10Km' | 'shiftedOver100Km'>;

export class Shifts {
  /** At most EXAMPLES_PER_KIND shifts over 1 km, the farthest first; equal shifts in the order of comparison. */
  readonly farthest: Shift[] = [];
  private readonly countsOver = { km1: 0, km10: 0, km100: 0 };

  get counts(): ShiftCounts {
    const { km1, km10, km100 } = this.countsOver;
    return { shiftedOver1Km: km1, shiftedOver10Km: km10, shiftedOver100Km: km100 };
  }

  compare(before: RenderedPlaces, after: RenderedPlaces, pair: Pair): void {
    const [from, to] = [readPosition(before, pair[0]), readPosition(after, pair[1])];
    if (from.latitude === to.latitude && from.longitude === to.longitude) return;
    const km = distanceKm(from, to);
    if (km <= 1) return;
    this.countsOver.km1++;
    if (km > 10) this.countsOver.km10++;
    if (km > 100) this.countsOver.km100++;
    const last = this.farthest[EXAMPLES_PER_KIND - 1];
    if (last !== undefined && last.km >= km) return;
    const place = this.farthest.findIndex((other) => other.km < km);
    this.farthest.splice(place === -1 ? this.farthest.length : place, 0, { pair, from, to, km });
    this.farthest.splice(EXAMPLES_PER_KIND);
  }
}

/** The coordinates in a place's answer, without parsing the rest. */
function readPosition(answers: RenderedPlaces, place: number): Position {
  const start = answers.offsets[place] as number;
  const [from, to] = [
    renderedFieldOffset(answers, place, FIELD_OFFSETS.postalCodeEnd),
    renderedFieldOffset(answers, place, FIELD_OFFSETS.urlStart),
  ];
  const text = answers.text.subarray(start + from, start + to).toString('latin1');
  const [longitudeKey, parentIdKey] = [text.indexOf(LONGITUDE_KEY), text.indexOf(PARENT_ID_KEY)];
  const latitude = Number(text.slice(LATITUDE_KEY.length, longitudeKey));
  const longitude = Number(text.slice(longitudeKey + LONGITUDE_KEY.length, parentIdKey));
  const isWhole = text.startsWith(LATITUDE_KEY) && longitudeKey !== -1 && parentIdKey !== -1;
  // Number('') is 0, which isWhole excludes; NaN fails the comparison.
  if (!isWhole || !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    throw structureError(`place-answers: place ${place}`, 'coordinates', 'other text');
  }
  return { latitude, longitude };
}
