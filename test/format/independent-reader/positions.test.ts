/** By position the independent reader, the service and a scan of all points find the same places. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { countriesAround } from '../../../src/core/snapshot/country-grid.js';
import { DomainError } from '../../../src/core/use-cases/domain-error.js';
import { readResponseData } from '../../../src/core/use-cases/response-data.js';
import { service } from '../../../src/core/use-cases/service.js';
import { createRandom } from '../../fixtures/random.mjs';
import { distanceKm, readCountryGrid, readPointIndex } from './finding.js';
import { readScene, type Scene, sliceOf } from './scene.js';
import { readBundle } from './snapshot-file.js';

let scene: Scene;
beforeAll(async () => {
  scene = await readScene();
});

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The id and the rounded distance of what the service answers; undefined where nothing is near. */
function reverse(lat: number, lng: number, country: string): { id: string; distanceKm: number } | undefined {
  try {
    const { place, distanceKm } = JSON.parse(readResponseData(service.reverse(scene.snapshot, { lat, lng, country })));
    return { id: place.id, distanceKm };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NO_NEARBY_PLACE') return undefined;
    throw error;
  }
}

/** Whether the service's answer is what was found: within 80 km, in kilometres with three decimals. */
function isAnswer(answered: number | undefined, found: number): boolean {
  return found > 80 ? answered === undefined : Math.abs(found - (answered ?? Number.NaN)) < 0.001;
}

describe('positions', () => {
  const random = createRandom(9);
  /** Around leaves, at the corners of the map, and anywhere. */
  function positionsFor(points: readonly { lat: number; lng: number }[]): [number, number][] {
    const near = Array.from({ length: 25 }, (): [number, number] => {
      const { lat, lng } = points[Math.floor(random() * points.length)] as { lat: number; lng: number };
      const moved = lng + random() * 2 - 1;
      const wrapped = moved > 180 ? moved - 360 : moved < -180 ? moved + 360 : moved;
      return [Math.max(-90, Math.min(90, lat + random() * 2 - 1)), wrapped];
    });
    const corners = [0, 90, -90].flatMap((lat) => [0, 180, -180, 120].map((lng): [number, number] => [lat, lng]));
    // On the other side of the antimeridian, and just off the pole.
    const beyond = points
      .filter(({ lng }) => Math.abs(lng) > 179.5)
      .map(({ lat, lng }) => [lat, lng > 0 ? -179.99 : 179.99]);
    const polar = [0, 90, 179.5].map((lng) => [89.6, lng]);
    const edges = [...beyond, ...polar] as [number, number][];
    return [...near, ...edges, ...corners, ...points.slice(0, 5).map(({ lat, lng }): [number, number] => [lat, lng])];
  }

  /** Of each place of a country, the tier of its point. */
  function tiersOf(country: Scene['countries'][number]): (place: number) => number {
    const { sources } = readBundle(sliceOf(country, 'place-positions'), {
      sources: 'u8',
      moved: 'u32',
      released: 'f64',
    });
    const isSure = (place: number): boolean => sources.at(place) !== 1 && sources.at(place) !== 2;
    return (place) => (country.answers[place]?.type === 'recipient' ? 2 : isSure(place) ? 0 : 1);
  }

  /** By tier, the least distance of a point. */
  function leastByTier(points: readonly { lat: number; lng: number; tier: number }[], lat: number, lng: number) {
    return [0, 1, 2].map((tier) =>
      Math.min(
        ...points.filter((point) => point.tier === tier).map((point) => distanceKm(lat, lng, point.lat, point.lng)),
      ),
    );
  }

  /** Of the first tier that has anything within 80 km; otherwise of all. */
  const firstNear = (byTier: readonly number[]): number =>
    byTier.find((distance) => distance <= 80) ?? Math.min(...byTier);

  test('each point is a coordinate of leaves, and the right leaf stands for it', () => {
    for (const country of scene.countries) {
      const tierOf = tiersOf(country);
      const leaves = country.answers.flatMap((answer, place) =>
        answer.postalCode === null ? [] : { ...answer, place },
      );
      const keyOf = ({ latitude, longitude }: { latitude: number; longitude: number }, tier: number): string =>
        `${tier} ${latitude} ${longitude}`;
      const first = leaves.sort(
        (a, b) =>
          compareBytes(String(a.postalCode), String(b.postalCode)) ||
          compareBytes(a.name, b.name) ||
          compareBytes(a.id, b.id),
      );
      const expected = new Map(first.toReversed().map((leaf) => [keyOf(leaf, tierOf(leaf.place)), leaf.place]));
      const { tiers, codesOf } = readPointIndex(sliceOf(country, 'point-index'));
      const points = tiers.flatMap((tier, number) => tier.points.map((point) => ({ ...point, number })));
      expect(points.length).toBe(expected.size);
      const codes = new Map<string, Set<string>>();
      for (const leaf of leaves) {
        const key = keyOf(leaf, tierOf(leaf.place));
        codes.set(key, (codes.get(key) ?? new Set()).add(String(leaf.postalCode)));
      }
      const wrong = points.filter(({ lat, lng, number }, point) => {
        const own = [...(codes.get(keyOf({ latitude: lat, longitude: lng }, number)) ?? [])].sort(compareBytes);
        return (
          own.join() !==
          codesOf(point)
            .map((code) => country.places.codes[code])
            .join()
        );
      });
      expect([country.code, wrong]).toEqual([country.code, []]);
      const found = new Map(
        points.map(({ place, lat, lng, number }) => [keyOf({ latitude: lat, longitude: lng }, number), place]),
      );
      expect(found).toEqual(expected);
    }
  });

  test('the nearest point of a country', () => {
    for (const country of scene.countries) {
      const { tiers, findNearest } = readPointIndex(sliceOf(country, 'point-index'));
      const points = tiers.flatMap((ofTier, tier) => ofTier.points.map((point) => ({ ...point, tier })));
      const wrong = positionsFor(points).filter(([lat, lng]) => {
        const { distanceKm: found } = findNearest(lat, lng);
        const scanned = firstNear(leastByTier(points, lat, lng));
        const answer = reverse(lat, lng, country.code);
        // Of several points at the same distance each reader may take another.
        const place = country.answers.find(({ id }) => id === answer?.id);
        const toPlace = place && distanceKm(lat, lng, place.latitude, place.longitude);
        return found !== scanned || !isAnswer(answer?.distanceKm, found) || !isAnswer(toPlace, found);
      });
      expect([country.code, wrong]).toEqual([country.code, []]);
    }
  });

  test('the countries of each cell, and the nearest point of them all', () => {
    const grid = readCountryGrid(scene.file.world[1] as Buffer);
    const trees = new Map(
      scene.countries.map((country) => [country.number, readPointIndex(sliceOf(country, 'point-index'))]),
    );
    const numbersByCell = new Map<string, Set<number>>();
    const cellOf = (lat: number, lng: number): string =>
      `${Math.min(89, Math.floor(lat))} ${lng === 180 ? -180 : Math.floor(lng)}`;
    const all = scene.countries.flatMap(({ number }) =>
      (trees.get(number)?.tiers ?? []).flatMap(({ points }, tier) =>
        points.map((point) => ({ ...point, number, tier })),
      ),
    );
    // Recipients make no country one to ask.
    const inGrid = all.filter(({ tier }) => tier < 2);
    for (const { lat, lng, number } of inGrid) {
      const cell = cellOf(lat, lng);
      numbersByCell.set(cell, (numbersByCell.get(cell) ?? new Set()).add(number));
    }
    expect(grid.cells.length).toBe(numbersByCell.size);
    expect(grid.cells).toEqual([...new Set(grid.cells)].sort((a, b) => a - b));
    const wrongCells = inGrid.filter(({ lat, lng }) => {
      const numbers = numbersByCell.get(cellOf(lat, lng)) as Set<number>;
      return grid.countriesAt(lat, lng).join() !== [...numbers].sort((a, b) => a - b).join();
    });
    expect(wrongCells).toEqual([]);
    expect(grid.countriesAt(-75.3, 123.4)).toEqual([]);
    const wrong = positionsFor(inGrid).filter(([lat, lng]) => {
      const asked = grid.countriesWithin(lat, lng, 80);
      const theirs = [...countriesAround(scene.snapshot.countryGrid, lat, lng, 80)].sort((a, b) => a - b);
      const ofAsked = all.filter(({ number }) => asked.includes(number));
      const least = firstNear(leastByTier(ofAsked, lat, lng));
      const scanned = Math.min(...leastByTier(inGrid, lat, lng));
      const isMissed = scanned < 80 && least > 80;
      return isMissed || asked.join() !== theirs.join() || !isAnswer(reverse(lat, lng, 'any')?.distanceKm, least);
    });
    expect(wrong).toEqual([]);
  });
});
