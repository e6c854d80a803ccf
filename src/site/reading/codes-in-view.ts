/**
 * The points of postal codes in a part of the world, in any country, from the k-d trees of the snapshot: those of localities,
 * not of recipients. Points have several codes where a release gives them one position. Costs some 0.2 µs for each point.
 */

import { countriesAround } from '../../core/snapshot/country-grid.js';
import { fullCodeAt, listNearestCodes } from '../../core/snapshot/full-codes.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import { POINT_TIERS, type PointTier, pointCodes, pointTier } from '../../core/snapshot/point-index.js';
import { indexedPostcode } from '../../core/snapshot/postcode-index.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle, Position } from '../../core/snapshot/sphere.js';
import { type CoveredCountry, isCovered } from './covered-country.js';

export interface CodePoint extends Position {
  readonly country: CoveredCountry;
  /** The place that represents the point. */
  readonly place: number;
  /** The first of its codes, and the numbers of all in the postcode index; of full codes the text only. */
  readonly postcode: string;
  readonly codes: Uint32Array | readonly number[];
}

/** Maximum number of codes of one point that are told apart: in a damaged file they could be all. */
const MAX_CODES = 1_000;

/** Of many points only some have a cell, whose codes are read. */
class TierPoint implements CodePoint {
  readonly longitude: number;
  readonly latitude: number;
  private text: string | undefined;

  constructor(
    readonly country: CoveredCountry,
    readonly place: number,
    private readonly tier: PointTier,
    private readonly point: number,
  ) {
    this.longitude = tier.degrees(point, 0);
    this.latitude = tier.degrees(point, 1);
  }

  get codes(): Uint32Array {
    return pointCodes(this.tier, this.point, MAX_CODES);
  }

  get postcode(): string {
    this.text ??= indexedPostcode(this.country.structures.postcodes, this.codes[0] ?? 0);
    return this.text;
  }
}

export function listCodePoints(snapshot: Snapshot, { lat, lng, radiusKm }: Circle): CodePoint[] {
  const found: CodePoint[] = [];
  for (const at of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[at];
    if (country === undefined || !isCovered(country)) continue;
    const { points, tree } = country.structures;
    for (const name of ['sure', 'coarse'] as const) {
      const tier = pointTier(points, POINT_TIERS.indexOf(name));
      visitKdTree(tier, { lat, lng, radiusKm }, (point) => {
        const place = tier.places[point] as number;
        if (isPlace(tree, place)) found.push(new TierPoint(country, place, tier, point));
        return radiusKm;
      });
    }
  }
  return found;
}

/** Maximum number of full codes of a map. */
const MAX_FULL_CODES = 500;

/** The full codes of a country within a circle, the nearest ones. */
export function listFullCodePoints(country: CoveredCountry, circle: Circle): CodePoint[] {
  const { fullCodes, tree } = country.structures;
  if (fullCodes === undefined) return [];
  return listNearestCodes(fullCodes, circle, MAX_FULL_CODES)
    .map(({ place: number }) => ({ country, codes: [], ...fullCodeAt(fullCodes, number) }))
    .filter(({ place }) => isPlace(tree, place));
}
