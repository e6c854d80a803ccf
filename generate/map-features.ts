/**
 * Writes data/map-features.tsv: lakes, rivers, built-up areas and lines between states, from Natural Earth
 * (generate/natural-earth, in the public domain), simplified to what maps show. A line has the kind, the rank (0 for the
 * largest) and the feature's lines, each as text (src/site/map/outlines.ts).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { feature, type MapFeature } from 'topojson-client';
import { presimplify, simplify } from 'topojson-simplify';
import { packageRoot } from '../src/base/package-root.js';
import { encodeLine, encodeRing } from '../src/site/map/outlines.js';
import { areaOf, MIN_TRIANGLE } from './outlines.js';

/** The kinds by their files. Lines between states have no rank in Natural Earth. */
const FILES = { lake: 'lakes', river: 'rivers', urban: 'urban-areas', state: 'state-lines' } as const;

export function writeMapFeatures(): string {
  return Object.entries(FILES)
    .flatMap(([kind, file]) => featuresOf(file).map((one) => [kind, one.properties.rank ?? 0, textsOf(one)]))
    .filter(([, , texts]) => texts !== '')
    .map((fields) => `${fields.join('\t')}\n`)
    .join('');
}

function featuresOf(file: string): readonly MapFeature[] {
  const text = readFileSync(join(packageRoot(), `generate/natural-earth/${file}.topojson`), 'utf8');
  const topology = simplify(presimplify(JSON.parse(text), areaOf), MIN_TRIANGLE);
  return Object.values(topology.objects).flatMap(
    (object) => feature(topology, object).features as readonly MapFeature[],
  );
}

/** A ring that is a speck has no area, and no text. */
function textsOf({ geometry }: MapFeature): string {
  switch (geometry?.type) {
    case undefined:
      return '';
    case 'LineString':
      return encodeLine(geometry.coordinates);
    case 'MultiLineString':
      return geometry.coordinates.map(encodeLine).join(' ');
    case 'Polygon':
      return geometry.coordinates.map(encodeRing).join(' ');
    case 'MultiPolygon':
      return geometry.coordinates.flat().map(encodeRing).join(' ');
  }
}
