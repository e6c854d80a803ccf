/** Maps of places: where things are drawn, which names are shown, what a hostile name can't do, and what is left out. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { distanceKm, type Position } from '../../../src/core/snapshot/sphere.js';
import { drawLabel, type LabelledDot, placeLabels } from '../../../src/site/map/dot-labels.js';
import type { MapDot } from '../../../src/site/map/linked-dots.js';
import { windowAround, windowOf } from '../../../src/site/map/map-window.js';
import { drawPageMap, type PageMapRequest, roundLength } from '../../../src/site/map/page-map.js';
import { type CoveredCountry, isCovered } from '../../../src/site/reading/covered-country.js';
import { openFixture } from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { decodeEntities } from '../site-scene.js';

const SIZE = { width: 400, height: 330 };

describe('a window', () => {
  const centre = fc.record({
    latitude: fc.double({ min: -75, max: 75, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const offsets = fc.array(
    fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.double({ min: -2, max: 2, noNaN: true })),
    {
      minLength: 1,
      maxLength: 20,
    },
  );

  test('has all of its points, wherever it is, and is true to scale around its middle', () => {
    fc.assert(
      fc.property(centre, offsets, (middle, around) => {
        const points = around.map(([north, east]) => ({
          latitude: middle.latitude + north,
          longitude: ((middle.longitude + east + 540) % 360) - 180,
        }));
        for (const window of [windowAround(middle, points, SIZE), windowOf(points, SIZE)]) {
          for (const point of points) {
            const { x, y } = window.locate(point);
            expect(x > 20 && x < 380 && y > 20 && y < 310).toBe(true);
          }
          const { west, east, south, north } = window.bounds;
          const latitude = (south + north) / 2;
          const km = distanceKm(
            { latitude, longitude: (west + east) / 2 },
            { latitude, longitude: west + (east - west) * 0.51 },
          );
          expect(Math.abs(km / (window.widthKm * 0.01) - 1)).toBeLessThan(0.02);
        }
      }),
      { seed: 11 },
    );
  });

  test('is not narrower than it is said to be, has no end for no number, and no more than the world', () => {
    const [point] = [{ latitude: 48, longitude: 11 }];
    expect(windowAround(point, [point], SIZE).widthKm).toBeCloseTo(2, 6);
    expect(windowAround(point, [], { ...SIZE, leastKm: 60 }).widthKm).toBeCloseTo(60, 6);
    expect(windowAround(point, [{ latitude: Number.NaN, longitude: 0 }], SIZE).widthKm).toBeCloseTo(2, 6);
    const { west, east } = windowAround(point, [{ latitude: -80, longitude: -169 }], SIZE).bounds;
    expect(east - west).toBeLessThanOrEqual(360);
  });
});

describe('names', () => {
  test('stand beside their dots, and one that would cover a dot or a name is not shown', () => {
    const dots = [
      { x: 100, y: 100, label: 'Eins' },
      { x: 112, y: 100, label: 'Zwei' },
      { x: 395, y: 200, label: 'Drei' },
      { x: 200, y: 5, label: 'Vier' },
    ];
    expect(placeLabels(dots, 400, 330, [])).toEqual(['left', 'right', 'left', 'below']);
    // A long name above a dot at the edge is moved, and so is not cut.
    const atEdge = [{ x: 396, y: 200, label: 'Sri Lanka' }];
    const taken = { left: 200, top: 197, right: 390, bottom: 203 };
    expect(placeLabels(atEdge, 400, 330, [taken])).toEqual(['above']);
    const [, x = ''] = /x="(\d+)"/.exec(drawLabel(atEdge[0] as LabelledDot, 'above', 400)) ?? [];
    expect(Number(x) + (9 * 6.8) / 2).toBeLessThan(400);
    const crowd = Array.from({ length: 40 }, (_, at) => ({
      x: 200 + (at % 5) * 12,
      y: 100 + Math.floor(at / 5) * 12,
      label: `Place ${at}`,
    }));
    const sides = placeLabels(crowd, 400, 330, []);
    expect(sides.filter((side) => side !== undefined).length).toBeLessThanOrEqual(25);
    expect(sides.filter((side) => side !== undefined).length).toBeGreaterThan(3);
    expect(
      placeLabels([{ x: 50, y: 50, label: 'Covered' }], 400, 330, [{ left: 0, top: 0, right: 400, bottom: 330 }]),
    ).toEqual([undefined]);
  });
});

test.each([
  [0.7, 0.5],
  [1, 1],
  [4.9, 2],
  [5, 5],
  [99, 50],
  [1234, 1000],
])('the longest round length up to %d km is %d km', (most, length) => expect(roundLength(most)).toBe(length));

describe('a map', () => {
  let snapshot: Snapshot;
  let andorra: CoveredCountry;
  let korea: CoveredCountry;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
    const [ad, kr] = ['AD', 'KR'].map((code) => snapshot.countryByCode.get(code));
    if (ad === undefined || kr === undefined || !isCovered(ad) || !isCovered(kr)) throw new Error('no such country');
    [andorra, korea] = [ad, kr];
  });
  const middle = { name: 'Here', latitude: 42.55, longitude: 1.55 };
  const dotsAt = (...points: readonly (readonly [string, number, number])[]): MapDot[] =>
    points.map(([name, latitude, longitude]) => ({ name, href: `/${encodeURIComponent(name)}`, latitude, longitude }));
  const draw = (request: Partial<PageMapRequest> & { dots: readonly MapDot[] }): string => {
    const points = [...(request.own ? [request.own] : []), ...request.dots, ...(request.faint ?? [])];
    const window = points.length > 0 ? windowOf(points, SIZE) : windowAround(middle, [], SIZE);
    return drawPageMap(snapshot, { country: andorra, caption: 'Caption', window, ...request }).text;
  };
  const linksOf = (text: string): string[] =>
    [...text.matchAll(/<a href="([^"]*)">/g)].map(([, href]) => href as string);

  test('links its dots, but none on another or on the page’s own', () => {
    const dots = dotsAt(['near', 42.6, 1.5], ['same', 42.6001, 1.5001], ['own', 42.55, 1.55], ['far', 42.5, 1.6]);
    const text = draw({ dots, own: middle });
    expect(linksOf(text)).toEqual(['/near', '/far']);
    expect(text).toMatch(/<g class="own"><text [^>]+>Here<\/text><\/g>/);
  });

  test('says in words where its dots are', () => {
    const dots = dotsAt(
      ['Nord', 42.6, 1.55],
      ['Ost', 42.55, 1.62],
      ['Südwest', 42.51, 1.5],
      ['Nordnord', 42.62, 1.551],
    );
    const words = draw({ dots, window: windowAround(middle, dots, SIZE) }).split('<dl>')[1] ?? '';
    expect(words).toContain('<dt>North</dt><dd dir="auto">Nord, Nordnord</dd><dt>East</dt><dd dir="auto">Ost</dd>');
    expect(words).toContain('<dt>South-west</dt><dd dir="auto">Südwest</dd>');
    expect(draw({ dots: [] })).not.toContain('<details>');
  });

  test('escapes names, addresses and what stands behind them', () => {
    const [dot] = dotsAt(['<b>&"', 42.6, 1.5]) as [MapDot];
    const text = draw({
      dots: [{ ...dot, href: '/"><script>', detail: '</title><script>' }],
      own: { ...middle, name: '<i>' },
    });
    expect(text).not.toMatch(/<(?:b|i|script)>/);
    expect(linksOf(text).map(decodeEntities)).toEqual(['/"><script>']);
    expect(text).toContain('<title>&lt;b&gt;&amp;&quot;, &lt;/title&gt;&lt;script&gt;</title>');
  });

  test('leaves out a first word that most names share, and shortens the longest', () => {
    const names = ['Region of Nord', 'Region Süd', 'Region de Ost', 'Region West', 'Stadt'];
    const dots = dotsAt(...names.map((name, at) => [name, 42.5 + at / 10, 1.5] as const));
    const shown = (text: string): string[] =>
      [...text.matchAll(/<text x[^>]*>([^<]*)<\/text><\/a>/g)].map(([, name]) => name as string);
    expect(shown(draw({ dots }))).toEqual(['Nord', 'Süd', 'Ost', 'West', 'Stadt']);
    expect(shown(draw({ dots: dots.slice(0, 3) }))).toEqual(names.slice(0, 3));
    expect(shown(draw({ dots: dotsAt(['A very long name of a place in a country', 42.5, 1.5]) }))).toEqual([
      'A very long name of a p…',
    ]);
  });

  test('has the window on the map of its country', () => {
    const points = dotsAt(['Seoul', 37.6, 127]);
    expect(draw({ dots: points, country: korea })).toContain('class="corner"');
    expect(draw({ dots: points, country: undefined })).not.toContain('class="corner"');
  });

  test('shows the land of all countries in view, with the part that another map shows', () => {
    const seoul = { latitude: 37.6, longitude: 127 };
    const part = windowOf([seoul], { ...SIZE, leastKm: 100 });
    const window = windowOf([seoul, { latitude: 35, longitude: 139 }], { width: 400, height: 200 });
    const text = draw({ dots: [], country: undefined, window, part, faint: [seoul] });
    const [, land = ''] = /<path class="ground" d="([^"]*)"/.exec(text) ?? [];
    expect((land.match(/z/g) ?? []).length).toBeGreaterThan(10);
    for (const [, x, y] of land.matchAll(/M(-?\d+) (-?\d+)/g)) {
      expect(Number(x) >= -10 && Number(x) <= 810 && Number(y) >= -10 && Number(y) <= 410).toBe(true);
    }
    expect(text).toContain('viewBox="0 0 400 200"');
    expect(text).toMatch(/<rect class="view" x="[\d.]+" y="[\d.]+" width="\d+\.\d" height="\d+\.\d"\/>/);
  });

  test('has one dot for each address, the first that has room', () => {
    const [near, far, other] = dotsAt(['near', 42.5501, 1.5501], ['far', 42.6, 1.6], ['other', 42.5, 1.6]) as [
      MapDot,
      MapDot,
      MapDot,
    ];
    const dots = [{ ...near, href: '/far' }, far, { ...other, href: '/far' }];
    expect(linksOf(draw({ dots, own: middle }))).toEqual(['/far']);
    expect(draw({ dots, own: middle })).toContain('<title>far</title>');
  });

  test('of points that are no numbers has no dots, and fails for none', () => {
    const [broken] = dotsAt(['broken', Number.NaN, Number.NaN]) as [MapDot];
    const [odd] = dotsAt(['odd', 1e300, -1e300]) as [MapDot];
    for (const points of [[broken], [odd], [broken, odd]] as Position[][]) {
      expect(linksOf(draw({ dots: points as MapDot[], own: middle }))).not.toContain('/broken');
      expect(draw({ dots: [], faint: points })).toContain('</svg>');
    }
  });
});
